/**
 * The smallest whole number from 1 on for which `holds` is true. `holds` must be false up to some number and
 * true from there on; the number is found by doubling, then by halving. A claim of somebody else's is looked at
 * first, from both sides: if it is right, there is nothing to search for.
 */
export function smallest(holds: (candidate: number) => boolean, claim?: number | null): number {
  if (Number.isSafeInteger(claim) && isSmallest(holds, Number(claim))) return Number(claim)
  let high = 1
  while (!holds(high)) {
    if (high === Number.MAX_SAFE_INTEGER) throw new RangeError('nothing holds below 2^53')
    high = Math.min(high * 2, Number.MAX_SAFE_INTEGER)
  }
  let low = high === Number.MAX_SAFE_INTEGER ? 2 ** 52 : Math.floor(high / 2)
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2)
    if (holds(middle)) high = middle
    else low = middle
  }
  return high
}

function isSmallest(holds: (candidate: number) => boolean, claim: number): boolean {
  return claim >= 1 && holds(claim) && (claim === 1 || !holds(claim - 1))
}
