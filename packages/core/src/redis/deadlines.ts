declare function setTimeout(callback: () => void, ms: number): unknown
declare function clearTimeout(timer: unknown): void
declare function setImmediate(callback: () => void): unknown

/** A call that is waited for until `at`. */
export interface Waiting {
  readonly at: number
  readonly fail: () => void
  done: boolean
}

/** Ends calls that take too long. All have the same deadline, so they end in order and one timer serves them all. */
export class Deadlines {
  readonly #ms: number
  #waiting: Waiting[] = []
  #head = 0
  #timer: unknown

  constructor(ms: number) {
    this.#ms = ms
  }

  /** `fail` is called unless `done` is set in time. */
  start(now: number, fail: () => void): Waiting {
    const waiting = { at: now + this.#ms, fail, done: false }
    this.#waiting.push(waiting)
    if (this.#timer === undefined) this.#arm(this.#ms)
    return waiting
  }

  #arm(ms: number): void {
    // One poll of I/O after the timer: a loop that was busy finds the replies that have been here for long.
    this.#timer = setTimeout(() => setImmediate(() => this.#expire()), Math.max(1, ms))
    const timer = this.#timer as { unref?: () => void }
    timer.unref?.()
  }

  #expire(): void {
    this.#timer = undefined
    const now = performance.now()
    while (this.#head < this.#waiting.length) {
      const oldest = this.#waiting[this.#head] as Waiting
      if (!oldest.done && oldest.at > now) break
      this.#head++
      if (oldest.done) continue
      oldest.done = true
      oldest.fail()
    }
    this.#waiting = this.#waiting.slice(this.#head)
    this.#head = 0
    const next = this.#waiting[0]
    if (next !== undefined) this.#arm(next.at - now)
  }

  /** Stops the timer; nothing may be waiting any more. */
  close(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
  }
}

declare const performance: { now(): number }
