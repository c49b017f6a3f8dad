import type { Charge, Costs } from './model/charge.js'
import type { Decision } from './model/decision.js'
import type { OnEvent } from './model/event.js'
import type { Key } from './model/key.js'
import type { Limit } from './model/limit.js'
import type { Logger } from './model/logger.js'
import type { Policy } from './model/policy.js'
import type { MaybePromise, Store } from './model/store.js'
import type { OnStoreFailure } from './store-failure.js'

export interface LimiterOptions {
  /** What is allowed; several policies are one decision. `'per-call'`: every call brings its own `limit`. */
  readonly limit: Limit | 'per-call'
  /** Needed when several limiters share a store; the same name and limit share a counter. @default 'default' */
  readonly name?: string | undefined
  /** Where to count. @default a `memoryStore()` of its own */
  readonly store?: Store | undefined
  /** Who decides when the store can't. A memory store always can. @default 'local' */
  readonly onStoreFailure?: OnStoreFailure | undefined
  /** Told of failures of the store. */
  readonly onEvent?: OnEvent | undefined
  /** Takes the few lines that an operator must see. @default console */
  readonly logger?: Logger | undefined
}

export interface ConsumeOptions {
  /** What the call costs: for every policy, or by policy name. @default 1 */
  readonly cost?: Costs | undefined
  /** Another limit for this call only; counts are kept where kind and window stay the same. */
  readonly limit?: Limit | undefined
}

/** Decides for keys. With a memory store every method answers at once, without a promise. */
export interface Limiter {
  readonly name: string
  readonly policies: readonly Policy[]
  readonly store: Store
  /** Decides and charges: all policies or none. @throws RateLimitError `RL_KEY`, `RL_COST`, `RL_CONFIG` */
  consume(key: Key, options?: ConsumeOptions): MaybePromise<Decision>
  /** What `consume` would answer. Writes nothing. */
  peek(key: Key, options?: ConsumeOptions): MaybePromise<Decision>
  /**
   * Corrects what this limiter charged for a decision to what it really cost, at most once. More is charged whatever is
   * left, as debt if need be; less is given back while the charge still counts. A record may name some policies only.
   */
  settle(decision: Decision, actual: Costs): MaybePromise<void>
  /** Gives back all that this limiter charged for a decision. */
  refund(decision: Decision): MaybePromise<void>
  /** Counts without asking, into debt if need be: for what has happened already. */
  charge(key: Key, options?: ConsumeOptions): MaybePromise<Decision>
  /** Forgets what was counted for a key. */
  reset(key: Key): MaybePromise<void>
  /** Closes what the limiter itself made, and frees its name. May be called twice. */
  close(): MaybePromise<void>
}

/** What `consumeAll` needs of a limiter, and nobody else. */
export const PARTS: unique symbol = Symbol.for('@rl/core.limiter')

/** The store with its stand-by, and what a call asks of it. */
export interface LimiterParts {
  readonly safe: Store
  chargeFor(key: Key, options: ConsumeOptions | undefined): Charge
}
