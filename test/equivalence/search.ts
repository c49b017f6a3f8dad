/**
 * The smallest whole number from 1 on for which `holds` is true. `holds` must be false up to some number and
 * true from there on; the number is found by doubling, then by halving.
 */
export function smallest(holds: (candidate: number) => boolean): number {
  let high = 1
  while (!holds(high)) {
    high *= 2
    if (high > Number.MAX_SAFE_INTEGER) throw new RangeError('nothing holds below 2^53')
  }
  let low = Math.floor(high / 2)
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2)
    if (holds(middle)) high = middle
    else low = middle
  }
  return high
}
