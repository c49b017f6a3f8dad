import type { DecisionEvent, Store } from '@rl/core'
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

/** Takes a duration in seconds. */
export type Observe = (seconds: number) => void

export interface LimiterTallyOptions {
  readonly maxPolicies: number
  readonly timerFor: (limiter: string, source: string) => Observe
}

/** What is told of one limiter. */
export class LimiterTally {
  readonly name: string
  readonly policies: Bounded<PolicyTally>
  readonly failures: Bounded<Failures> = new Bounded(MAX_WORDS, (kind) => new Failures(kind))
  readonly #timers: Bounded<Observe>
  readonly #stores = new Stores()
  // Mostly a decision is like the last one but for its outcome: what was looked up then is kept until a scrape.
  #policy: string | undefined
  #source: string | undefined
  #store: Store | undefined
  #outcomes: Outcomes | undefined

  constructor(name: string, { maxPolicies, timerFor }: LimiterTallyOptions) {
    this.name = name
    this.policies = new Bounded(maxPolicies, (policy) => new PolicyTally(policy))
    this.#timers = new Bounded(MAX_WORDS, (source) => timerFor(name, source))
  }

  decided({ limiter, policy, source, store, allowed, durationMs }: DecisionEvent): void {
    let outcomes = this.#outcomes
    if (
      outcomes === undefined ||
      policy !== this.#policy ||
      source !== this.#source ||
      store !== this.#store
    ) {
      outcomes = this.policies.of(policy ?? '').sources.of(source)
      this.saw(limiter, store)
      this.#outcomes = outcomes
      this.#policy = policy
      this.#source = source
      this.#store = store
    }
    if (allowed) outcomes.allowed.value++
    else outcomes.refused.value++
    if (durationMs !== undefined) this.#timers.of(source)(durationMs / 1000)
  }

  saw(limiter: string, store: Store): void {
    // Of those that have no label of their own nothing can be asked by name.
    if (limiter === this.name) this.#stores.saw(store)
  }

  /** The stores that it counts in, those that somebody still uses. */
  stores(): readonly Store[] {
    this.#outcomes = undefined
    this.#store = undefined
    return this.#stores.live()
  }
}
