import { LRUCache } from 'lru-cache'
import { isInProcess, memoryStore } from './memory/memory-store.js'
import { type Charge, type Costs, checkCosts } from './model/charge.js'
import type { Decision } from './model/decision.js'
import { configError } from './model/errors.js'
import type { OnEvent } from './model/event.js'
import { type Key, toKey } from './model/key.js'
import { type Limit, toPolicies } from './model/limit.js'
import { type Logger, toLogger } from './model/logger.js'
import { checkName } from './model/name.js'
import type { Policy } from './model/policy.js'
import type { MaybePromise, Mode, Store } from './model/store.js'
import { checkOptions } from './model/suggest.js'
import { outageOf, takeName, UNNAMED } from './registry.js'
import { fallback } from './resilience/fallback.js'
import { type OnStoreFailure, standbyOf } from './store-failure.js'

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
  /** Corrects what a decision charged to what it really cost, in the window it was charged in; else does nothing. */
  settle(decision: Decision, actual: Costs): MaybePromise<void>
  /** Gives back all that a decision charged. */
  refund(decision: Decision): MaybePromise<void>
  /** Forgets what was counted for a key. */
  reset(key: Key): MaybePromise<void>
  /** Closes what the limiter itself made, and frees its name. May be called twice. */
  close(): MaybePromise<void>
}

/** A limiter for any use, HTTP or not. @throws RateLimitError `RL_CONFIG` */
export function createLimiter(options: LimiterOptions): Limiter {
  return new StoreLimiter(options)
}

const OPTIONS = ['limit', 'name', 'store', 'onStoreFailure', 'onEvent', 'logger'] as const

class StoreLimiter implements Limiter {
  readonly name: string
  readonly policies: readonly Policy[]
  readonly store: Store
  /** The store, and what stands in for it. */
  readonly #safe: Store
  readonly #ownsStore: boolean
  #leave: (() => void) | undefined
  /** Limits given as text for one call, parsed. Bounded: the text may come from anywhere. */
  readonly #parsed = new LRUCache<string, readonly Policy[]>({ max: 64 })

  constructor(options: LimiterOptions) {
    checkOptions('createLimiter', options, OPTIONS)
    const { name, store, onStoreFailure = 'local', onEvent } = options
    const logger = toLogger(options.logger)
    this.name = name === undefined ? UNNAMED : checkName(name, 'name')
    this.policies = options.limit === 'per-call' ? [] : toPolicies(options.limit)
    this.#ownsStore = store === undefined
    this.store = store === undefined ? memoryStore({ logger }) : checkStore(store)
    const standby = standbyOf(onStoreFailure, logger)
    const outage = outageOf(this.store)
    this.#safe = isInProcess(this.store) ? this.store : fallback(this.store, { standby, outage, onEvent })
    const freeName = takeName(this.store, name, this.policies)
    const hush = outage.tell(logger, onEvent)
    this.#leave = () => {
      freeName()
      hush()
    }
  }

  consume(key: Key, options?: ConsumeOptions): MaybePromise<Decision> {
    return this.#decide(key, options, 'ask')
  }

  peek(key: Key, options?: ConsumeOptions): MaybePromise<Decision> {
    return this.#decide(key, options, 'peek')
  }

  settle(decision: Decision, actual: Costs): MaybePromise<void> {
    if (!decision.counted || decision.receipt === null) return undefined
    for (const { policies } of decision.receipt.charges) checkCosts(actual, policies)
    return this.#safe.settle(decision.receipt, actual)
  }

  refund(decision: Decision): MaybePromise<void> {
    return this.settle(decision, 0)
  }

  reset(key: Key): MaybePromise<void> {
    return this.#safe.reset({ limiter: this.name, key: toKey(key), policies: this.policies })
  }

  close(): MaybePromise<void> {
    this.#leave?.()
    this.#leave = undefined
    return this.#ownsStore || this.#safe !== this.store ? this.#safe.close() : undefined
  }

  #decide(key: Key, options: ConsumeOptions | undefined, mode: Mode): MaybePromise<Decision> {
    const policies = options?.limit === undefined ? this.policies : this.#policiesOf(options.limit)
    if (policies.length === 0)
      throw configError('limit', undefined, 'is per call on this limiter: pass { limit }')
    const costs = options?.cost === undefined ? 1 : checkCosts(options.cost, policies)
    const charge: Charge = { limiter: this.name, key: toKey(key), policies, costs }
    return this.#safe.consume([charge], mode)
  }

  #policiesOf(limit: Limit): readonly Policy[] {
    if (typeof limit !== 'string') return toPolicies(limit)
    const parsed = this.#parsed.get(limit) ?? toPolicies(limit)
    this.#parsed.set(limit, parsed)
    return parsed
  }
}

function checkStore(store: Store): Store {
  for (const method of ['consume', 'settle', 'reset', 'close'] as const) {
    if (typeof store?.[method] !== 'function') {
      throw configError('store', store, `has no ${method}(); take memoryStore() or redisStore({ client })`)
    }
  }
  return store
}
