import type { BreakerState, DecisionEvent, RateLimitEvent, Store } from '@rl/core'
import { Bounded } from './bounded.js'
import { Stores } from './stores.js'

/** Sources and kinds of errors that later versions may add have room too. */
const MAX_WORDS = 8

/** A count, and how much of it a scrape has seen. */
export class Count {
  value = 0
  #seen = 0

  /** What came since the last time. */
  take(): number {
    const more = this.value - this.#seen
    this.#seen = this.value
    return more
  }
}

/** The decisions of one policy from one source. */
export class Outcomes {
  readonly source: string
  readonly allowed: Count = new Count()
  readonly refused: Count = new Count()

  constructor(source: string) {
    this.source = source
  }
}

/** What one policy decided, by source. The one without a name has the decisions that counted nothing. */
export class PolicyTally {
  readonly name: string
  readonly sources: Bounded<Outcomes> = new Bounded(MAX_WORDS, (source) => new Outcomes(source))

  constructor(name: string) {
    this.name = name
  }
}

/** The calls to a store that failed in one way. */
export class Failures {
  readonly kind: string
  readonly decide: Count = new Count()
  readonly settle: Count = new Count()

  constructor(kind: string) {
    this.kind = kind
  }
}

/** What is told of one limiter. */
export class LimiterTally {
  readonly name: string
  readonly policies: Bounded<PolicyTally>
  readonly failures: Bounded<Failures> = new Bounded(MAX_WORDS, (kind) => new Failures(kind))
  readonly timers: Bounded<Observe>
  readonly stores: Stores = new Stores()

  constructor(name: string, { maxPolicies, timerFor }: TallyOptions) {
    this.name = name
    this.policies = new Bounded(maxPolicies, (policy) => new PolicyTally(policy))
    this.timers = new Bounded(MAX_WORDS, (source) => timerFor(name, source))
  }
}

/** Takes a duration in seconds. */
export type Observe = (seconds: number) => void

export interface TallyOptions {
  readonly maxLimiters: number
  readonly maxPolicies: number
  readonly timerFor: (limiter: string, source: string) => Observe
}

/** Counts what the channels tell. Cheap, as it is done for every decision: metrics are made of it at a scrape. */
export class Tally {
  readonly limiters: Bounded<LimiterTally>

  constructor(options: TallyOptions) {
    this.limiters = new Bounded(options.maxLimiters, (name) => new LimiterTally(name, options))
  }

  decided(event: DecisionEvent): void {
    const { limiter, mode, policy = '', policies, source, allowed, durationMs, store } = event
    if (mode !== 'ask') return
    const tally = this.limiters.of(limiter)
    const outcomes = tally.policies.of(policy).sources.of(source)
    if (allowed) outcomes.allowed.value++
    else outcomes.refused.value++
    if (durationMs !== undefined) tally.timers.of(source)(durationMs / 1000)
    this.#saw(limiter, store)
    if (policies.length > 1) for (const { limiter } of policies) this.#saw(limiter, store)
  }

  heard(event: RateLimitEvent): void {
    if (event.type === 'store-failure') this.limiters.of(event.limiter).failures.of(event.kind).decide.value++
    if (event.type === 'settle-dropped')
      this.limiters.of(event.limiter).failures.of(event.kind).settle.value++
  }

  #saw(limiter: string, store: Store): void {
    const tally = this.limiters.of(limiter)
    // Of those that have no label of their own nothing can be asked by name.
    if (tally.name === limiter) tally.stores.saw(store)
  }
}

/** What a store may tell of itself: one in memory its keys, one in Redis its breaker. */
export interface Telling extends Store {
  sizeOf?(limiter: string): number
  readonly breaker?: BreakerState
}
