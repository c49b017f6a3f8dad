/**
 * A median between its quartiles.
 * @typedef {{ q1: number, median: number, q3: number }} Spread
 */

/** @param {readonly number[]} values @returns {Spread} */
export function spreadOf(values) {
  const sorted = [...values].sort((a, b) => a - b)
  const at = (/** @type {number} */ share) => {
    const place = share * (sorted.length - 1)
    const [low, high] = [sorted[Math.floor(place)] ?? Number.NaN, sorted[Math.ceil(place)] ?? Number.NaN]
    return low + (high - low) * (place - Math.floor(place))
  }
  return { q1: at(0.25), median: at(0.5), q3: at(0.75) }
}

/**
 * What two contenders have to do with each other, round by round: the machine was the same to both.
 * @param {readonly number[]} ours @param {readonly number[]} theirs
 * @param {(ours: number, theirs: number) => number} of
 */
export function pairwise(ours, theirs, of = (a, b) => a / b) {
  return spreadOf(ours.map((value, round) => of(value, theirs[round] ?? Number.NaN)))
}

/** @param {readonly number[]} ours @param {readonly number[]} theirs */
export function difference(ours, theirs) {
  return ours.map((value, round) => value - (theirs[round] ?? Number.NaN))
}

/** @param {Spread} spread @param {number} digits */
export function show({ q1, median, q3 }, digits) {
  return `${median.toFixed(digits)} (${q1.toFixed(digits)}–${q3.toFixed(digits)})`
}
