import type { DecisionEvent, RateLimitEvent } from '@rl/core'
import { Bounded } from './bounded.js'
import { LimiterTally, type LimiterTallyOptions } from './limiter-tally.js'

export interface TallyOptions extends LimiterTallyOptions {
  readonly maxLimiters: number
}

/** Counts what the channels tell. Cheap, as it is done for every decision: metrics are made of it at a scrape. */
export class Tally {
  readonly limiters: Bounded<LimiterTally>

  constructor(options: TallyOptions) {
    this.limiters = new Bounded(options.maxLimiters, (name) => new LimiterTally(name, options))
  }

  decided(event: DecisionEvent): void {
    // Others decide on no request.
    if (event.mode !== 'ask') return
    const { limiter, policies, store } = event
    this.limiters.of(limiter).decided(event)
    if (policies.length < 2) return
    for (let i = 0; i < policies.length; i++) {
      const other = policies[i]?.limiter
      if (other !== undefined && other !== limiter) this.limiters.of(other).saw(other, store)
    }
  }

  heard(event: RateLimitEvent): void {
    if (event.type !== 'store-failure' && event.type !== 'settle-dropped') return
    const failures = this.limiters.of(event.limiter).failures.of(event.kind)
    if (event.type === 'store-failure') failures.decide.value++
    else failures.settle.value++
  }
}
