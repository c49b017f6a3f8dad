import { LRUCache } from 'lru-cache'
import {
  type ConsumeOptions,
  type Limiter,
  type LimiterOptions,
  type LimiterParts,
  PARTS,
} from './limiter-types.js'
import { isInProcess, memoryStore } from './memory/memory-store.js'
import { type Charge, type Costs, checkActual, checkCosts, type Receipt } from './model/charge.js'
import type { Decision } from './model/decision.js'
import { configError } from './model/errors.js'
import { type Key, toKey } from './model/key.js'
import { type Limit, toPolicies } from './model/limit.js'
import { toLogger } from './model/logger.js'
import { chain } from './model/maybe-promise.js'
import { checkName } from './model/name.js'
import type { Policy } from './model/policy.js'
import type { MaybePromise, Mode, Store } from './model/store.js'
import { checkOptions } from './model/suggest.js'
import { outageOf, takeName, UNNAMED } from './registry.js'
import { fallback } from './resilience/fallback.js'
import { listener } from './resilience/listener.js'
import { standbyOf } from './store-failure.js'

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
  /** Policies given for one call: what a builder made does not change. */
  readonly #given = new WeakMap<object, readonly Policy[]>()

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
    const heard = onEvent && listener(onEvent, logger)
    this.#safe = isInProcess(this.store)
      ? this.store
      : fallback(this.store, { standby, outage, onEvent: heard })
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
    const policies = charges.flatMap((charge) => charge.policies)
    return this.#safe.settle({ ...receipt, charges }, checkActual(actual, policies))
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
    if (typeof limit === 'object' && limit !== null && 'kind' in limit && Object.isFrozen(limit)) {
      const given = this.#given.get(limit) ?? toPolicies(limit)
      this.#given.set(limit, given)
      return given
    }
    if (typeof limit !== 'string' || limit.length > 64) return toPolicies(limit)
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
