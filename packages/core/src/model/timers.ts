/** A timer that does not keep a process alive. Declared here: the types of this package need neither Node nor a DOM. */
export interface Timer {
  stop(): void
}

interface Handle {
  unref?(): void
}

declare function setTimeout(callback: () => void, ms: number): Handle
declare function clearTimeout(handle: Handle): void
declare function setInterval(callback: () => void, ms: number): Handle
declare function clearInterval(handle: Handle): void
declare const performance: { now(): number }

export function after(ms: number, callback: () => void): Timer {
  const handle = setTimeout(callback, ms)
  handle.unref?.()
  return { stop: () => clearTimeout(handle) }
}

export function every(ms: number, callback: () => void): Timer {
  const handle = setInterval(callback, ms)
  handle.unref?.()
  return { stop: () => clearInterval(handle) }
}

/** Milliseconds of a clock that never goes back. */
export function monotonicNow(): number {
  return performance.now()
}
