import type { RateLimitError } from '../model/errors.js'
import type { Emergency, OnEvent, RateLimitEvent } from '../model/event.js'
import type { Logger } from '../model/logger.js'
import { every, monotonicNow, type Timer } from '../model/timers.js'

const LINE_EVERY_MS = 5000

/**
 * What is said of a store that fails, once for all limiters that count in it: a line when it begins, one every five
 * seconds with the number it stands for, one when it is over. A store that fails now and then, without being down, is
 * over it after five seconds without a failure.
 */
export class Outage {
  isOn = false
  readonly #listeners = new Set<OnEvent>()
  #logger: Logger | undefined
  #timer: Timer | undefined
  #wasDown = false
  #startedAt = 0
  #lineAt = 0
  #sinceLine = 0
  #decided = { local: 0, open: 0, closed: 0 }

  /** Who hears of it, until the result is called. The last logger writes the lines. */
  tell(logger: Logger, onEvent: OnEvent = () => {}): () => void {
    this.#logger = logger
    this.#listeners.add(onEvent)
    return () => {
      this.#listeners.delete(onEvent)
      if (this.#listeners.size === 0) this.#stop()
    }
  }

  /** A decision was made without the store. `isDown`: the store was not even asked. */
  failed(error: RateLimitError, decided: Emergency, isDown: boolean): void {
    if (!this.isOn) this.#start(error, decided)
    if (isDown) this.#wasDown = true
    this.#sinceLine++
    this.#decided[decided]++
  }

  /** The store decided. */
  succeeded(): void {
    if (this.#wasDown) this.#end(monotonicNow())
  }

  #start(error: RateLimitError, decided: Emergency): void {
    this.isOn = true
    this.#wasDown = false
    this.#startedAt = monotonicNow()
    this.#lineAt = this.#startedAt
    this.#sinceLine = 0
    this.#decided = { local: 0, open: 0, closed: 0 }
    this.#timer = every(LINE_EVERY_MS, () => this.#line())
    this.#logger?.error(`[rl] the store fails; decisions are now ${SAID[decided]}. ${error.message}`)
    this.#emit({ type: 'outage', error })
  }

  #line(): void {
    if (this.#sinceLine === 0 && !this.#wasDown) {
      this.#end(this.#lineAt)
      return
    }
    if (this.#sinceLine > 0) {
      this.#logger?.error(
        `[rl] the store still fails: ${this.#sinceLine} decisions without it since the last line`,
      )
    }
    this.#lineAt = monotonicNow()
    this.#sinceLine = 0
  }

  #end(at: number): void {
    this.#stop()
    const decided = this.#decided
    const afterMs = Math.round(at - this.#startedAt)
    const how = Object.entries(decided).filter(([, count]) => count > 0)
    const list = how.map(([name, count]) => `${count} ${SAID[name as Emergency]}`).join(', ')
    this.#logger?.warn(
      `[rl] the store works again after ${(afterMs / 1000).toFixed(1)} s. Meanwhile decided: ${list}`,
    )
    this.#emit({ type: 'recovered', afterMs, decided })
  }

  #stop(): void {
    this.isOn = false
    this.#timer?.stop()
  }

  #emit(event: RateLimitEvent): void {
    for (const listener of this.#listeners) listener(event)
  }
}

const SAID: Readonly<Record<Emergency, string>> = {
  local: 'by a limit in this process',
  open: 'open (allowed uncounted)',
  closed: 'closed (refused)',
}
