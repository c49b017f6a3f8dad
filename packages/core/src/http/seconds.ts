/** Whole seconds, rounded up: nobody who waits for as long comes too early. */
export function seconds(ms: number): number {
  return Math.ceil(ms / 1000)
}

/** For how long a refused client is told to wait: at least one second. */
export function waitSeconds(ms: number): number {
  return Math.max(1, seconds(ms))
}
