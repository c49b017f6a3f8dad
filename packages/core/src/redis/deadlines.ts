import { after, monotonicNow, type Timer } from '../model/timers.js'

declare function setImmediate(callback: () => void): unknown

/** A call that is waited for until `at`. */
export interface Waiting {
  readonly at: number
  done: boolean
  fail(): void
}

const OVER: Waiting = { at: 0, done: true, fail() {} }

/** Fewer are not worth moving the others. */
const SOME = 1024

/** Ends calls that take too long. All have the same deadline, so they end in order and one timer serves them all. */
export class Deadlines {
  readonly #ms: number
  #waiting: Waiting[] = []
  #head = 0
  #timer: Timer | undefined

  constructor(ms: number) {
    this.#ms = ms
  }

  /** `fail` is called once `at` is over, as long from now as for all others, unless `done` is set in time. */
  start(waiting: Waiting): void {
    this.#dropDone()
    this.#waiting.push(waiting)
    if (this.#timer === undefined) this.#arm(this.#ms)
  }

  /** Answers come mostly in order: what is over is in front, and need not be kept until the timer fires. */
  #dropDone(): void {
    const waiting = this.#waiting
    // What is over is let go at once: else it would live until it is old to the collector, which then copies it.
    while (this.#head < waiting.length && (waiting[this.#head] as Waiting).done) waiting[this.#head++] = OVER
    if (this.#head < SOME || this.#head * 2 < waiting.length) return
    this.#waiting = waiting.slice(this.#head)
    this.#head = 0
  }

  #arm(ms: number): void {
    // One poll of I/O after the timer: a loop that was busy finds the replies that have been here for long.
    this.#timer = after(Math.max(1, ms), () => setImmediate(() => this.#expire()))
  }

  #expire(): void {
    this.#timer = undefined
    const now = monotonicNow()
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

  /** Stops the timer, unless somebody still waits: then it ends that call, and itself. */
  close(): void {
    this.#dropDone()
    if (this.#head < this.#waiting.length) return
    this.#timer?.stop()
    this.#timer = undefined
  }
}
