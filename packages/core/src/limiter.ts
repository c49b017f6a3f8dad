import { LRUCache } from 'lru-cache'
import { isInProcess, memoryStore } from './memory/memory-store.js'
import { type Charge, type Costs, checkActual, checkCosts, type Receipt } from './model/charge.js'
import type { Decision } from './model/decision.js'
import { configError } from './model/errors.js'
import type { OnEvent } from './model/event.js'
import { type Key, toKey } from './model/key.js'
import { type Limit, toPolicies } from './model/limit.js'
import { type Logger, toLogger } from './model/logger.js'
import { chain } from './model/maybe-promise.js'
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

/** A limiter for any use, HTTP or not. @throws RateLimitError `RL_CONFIG` */
export function createLimiter(options: LimiterOptions): Limiter {
  return new StoreLimiter(options)
}

const OPTIONS = ['limit', 'name', 'store', 'onStoreFailure', 'onEvent', 'logger'] as const

class StoreLimiter implements Limiter {
  readonly name: string
  readonly policies: readonly Policy[]
  readonly store: Store
  readonly [PARTS]: LimiterParts
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
    this[PARTS] = { safe: this.#safe, chargeFor: (key, given) => this.#chargeFor(key, given) }
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

  charge(key: Key, options?: ConsumeOptions): MaybePromise<Decision> {
    return this.#decide(key, options, 'force')
  }

  settle(decision: Decision, actual: Costs): MaybePromise<void> {
    if (!decision.counted || decision.receipt === null) return undefined
    const { rest = [], ...first } = decision.receipt
    return [first, ...rest].reduce<MaybePromise<void>>(
      (before, receipt) => chain(before, () => this.#settle(receipt, actual)),
      undefined,
    )
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

  #settle(receipt: Receipt, actual: Costs): MaybePromise<void> {
    const charges = receipt.charges.filter(({ limiter }) => limiter === this.name)
    if (charges.length === 0) return undefined
    checkActual(
      actual,
      charges.flatMap(({ policies }) => policies),
    )
    return this.#safe.settle({ ...receipt, charges }, actual)
  }

  #decide(key: Key, options: ConsumeOptions | undefined, mode: Mode): MaybePromise<Decision> {
    return this.#safe.consume([this.#chargeFor(key, options)], mode)
  }

  #chargeFor(key: Key, options: ConsumeOptions | undefined): Charge {
    const policies = options?.limit === undefined ? this.policies : this.#policiesOf(options.limit)
    if (policies.length === 0) throw configError('limit', undefined, 'is per call here: pass { limit }')
    const costs = options?.cost === undefined ? 1 : checkCosts(options.cost, policies)
    return { limiter: this.name, key: toKey(key), policies, costs }
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
