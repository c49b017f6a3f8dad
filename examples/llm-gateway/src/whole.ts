/** Reads a whole number of a flag. @throws Error whose message names the flag, what was given and what it takes */
export function toWhole(flag: string, text: string, [least, most]: readonly [number, number]): number {
  const value = /^\d{1,15}$/.test(text) ? Number(text) : -1
  if (value >= least && value <= most) return value
  throw new Error(`${flag} takes a whole number from ${least} to ${most}; got "${text}"`)
}
