import { storeChannel } from '../model/channel.js'
import type { RateLimitError } from '../model/errors.js'
import type { Emergency, OnEvent, RateLimitEvent } from '../model/event.js'
import type { Logger } from '../model/logger.js'
import { after, every, monotonicNow, type Timer } from '../model/timers.js'
import { listener, log } from './listener.js'

const LINE_EVERY_MS = 5000

/** Limiters may share a listener: it hears of an outage once, while one of them is open. */
interface Heard {
  readonly tell: OnEvent
  limiters: number
}

/**
 * What is said of a store that fails, once for all limiters that count in it: a line when it begins, one every five
 * seconds with the number it stands for, one when it is over. That is when the store decides again; of a store that fails
 * now and then, or fails again within five seconds, it is when it has not failed for five seconds.
 */
export class Outage {
  isOn = false
  readonly #listeners = new Map<OnEvent, Heard>()
  #logger: Logger | undefined
  #timer: Timer | undefined
  /** The store was down, and not asked. */
  #wasDown = false
  /** It began within five seconds of the end of another: neither is worth a line of its own. */
  #isRelapse = false
  /** What was heard last of the store is a decision. */
  #works = false
  #startedAt = 0
  #endedAt = Number.NEGATIVE_INFINITY
  #lineAt = 0
  #sinceLine = 0
  #decided = { local: 0, open: 0, closed: 0 }
  /** Charges left uncorrected, that no line has told of yet. */
  #settlesDropped = 0
  #dropLineAt = Number.NEGATIVE_INFINITY
  #dropTimer: Timer | undefined

  /** Who hears of it, until the result is called. The last logger writes the lines. */
  tell(logger: Logger, onEvent: OnEvent = () => {}): () => void {
    this.#logger = logger
    const heard = this.#listeners.get(onEvent) ?? { tell: listener(onEvent, logger), limiters: 0 }
    heard.limiters++
    this.#listeners.set(onEvent, heard)
    let isHeard = true
    return () => {
      if (!isHeard) return
      isHeard = false
      heard.limiters--
      if (heard.limiters === 0) this.#listeners.delete(onEvent)
      if (this.#listeners.size === 0) this.#leave()
    }
  }

  /** A decision was made without the store. `isDown`: the store was not even asked. */
  failed(error: RateLimitError, decided: Emergency, isDown: boolean): void {
    // A call may still be under way when its limiter is closed.
    if (this.#listeners.size === 0) return
    if (this.isOn) this.#sinceLine++
    else this.#start(error, decided)
    if (isDown) this.#wasDown = true
    this.#works = false
    this.#decided[decided]++
  }

  /** The store decided. */
  succeeded(): void {
    this.#works = true
    if (this.#wasDown && !this.#isRelapse) this.#end(monotonicNow())
  }

  /** A charge stays as it was, as the store can't correct it. During an outage the line at its end tells how many. */
  settleDropped(error: RateLimitError): void {
    if (this.#listeners.size === 0) return
    this.#settlesDropped++
    if (this.isOn || this.#dropTimer !== undefined) return
    const wait = this.#dropLineAt + LINE_EVERY_MS - monotonicNow()
    if (wait <= 0) this.#dropLine(error)
    else this.#dropTimer = after(wait, () => this.#dropLine(error))
  }

  #dropLine(error: RateLimitError): void {
    this.#dropTimer = undefined
    if (this.isOn || this.#settlesDropped === 0) return
    const count = this.#settlesDropped
    this.#settlesDropped = 0
    this.#dropLineAt = monotonicNow()
    this.#log('warn', `settlements dropped, charges left uncorrected: ${count}. ${oneLine(error.message)}`)
  }

  #start(error: RateLimitError, decided: Emergency): void {
    this.isOn = true
    this.#wasDown = false
    this.#startedAt = monotonicNow()
    this.#isRelapse = this.#startedAt - this.#endedAt < LINE_EVERY_MS
    this.#lineAt = this.#startedAt
    // The first failure is what the first line stands for.
    this.#sinceLine = this.#isRelapse ? 1 : 0
    this.#decided = { local: 0, open: 0, closed: 0 }
    this.#timer = every(LINE_EVERY_MS, () => this.#line())
    if (!this.#isRelapse) {
      this.#log('error', `the store fails; decisions are now ${SAID[decided]}. ${oneLine(error.message)}`)
    }
    this.#emit({ type: 'outage', error })
  }

  #line(): void {
    if (this.#sinceLine > 0) {
      this.#log('error', `the store still fails: ${this.#sinceLine} decisions without it since the last line`)
      this.#lineAt = monotonicNow()
      this.#sinceLine = 0
    } else if (this.#works) this.#end(this.#lineAt)
  }

  #end(at: number): void {
    this.#stop()
    this.#endedAt = monotonicNow()
    const decided = this.#decided
    const afterMs = Math.round(at - this.#startedAt)
    const how = Object.entries(decided).filter(([, count]) => count > 0)
    const list = how.map(([name, count]) => `${count} ${SAID[name as Emergency]}`).join(', ')
    const dropped = this.#settlesDropped > 0 ? `. Charges left uncorrected: ${this.#settlesDropped}` : ''
    this.#settlesDropped = 0
    this.#log(
      'warn',
      `the store works again after ${(afterMs / 1000).toFixed(1)} s. Meanwhile decided: ${list}${dropped}`,
    )
    this.#emit({ type: 'recovered', afterMs, decided })
  }

  #stop(): void {
    this.isOn = false
    this.#timer?.stop()
  }

  #leave(): void {
    this.#stop()
    this.#dropTimer?.stop()
    this.#dropTimer = undefined
  }

  #log(level: keyof Logger, text: string): void {
    log(this.#logger, level, `[rl] ${text}`)
  }

  #emit(event: RateLimitEvent): void {
    for (const { tell } of this.#listeners.values()) tell(event)
    if (storeChannel.hasSubscribers) storeChannel.publish(event)
  }
}

/** An error may quote what came over the wire. */
function oneLine(message: string): string {
  return message.replace(/[\p{Cc}\p{Zl}\p{Zp}]/gu, ' ')
}

const SAID: Readonly<Record<Emergency, string>> = {
  local: 'by a limit in this process',
  open: 'open (allowed uncounted)',
  closed: 'closed (refused)',
}
