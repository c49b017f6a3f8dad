import { LRUCache } from 'lru-cache'
import { ToldStore } from './decision-events.js'
import {
  type ConsumeOptions,
  type Limiter,
  type LimiterOptions,
  type LimiterParts,
  PARTS,
} from './limiter-types.js'
import { isInProcess, memoryStore } from './memory/memory-store.js'
import { decisionChannel } from './model/channel.js'
import { type Charge, type Costs, checkActual, checkCosts } from './model/charge.js'
import type { Decision } from './model/decision.js'
import { configError } from './model/errors.js'
import { type Key, toKey } from './model/key.js'
import { type Limit, toPolicies } from './model/limit.js'
import { toLogger } from './model/logger.js'
import { chain } from './model/maybe-promise.js'
import { checkName } from './model/name.js'
import type { Policy } from './model/policy.js'
import type { MaybePromise, Mode, Store } from './model/store.js'
import { checkOptions, hasOnly } from './model/suggest.js'
import { outageOf, takeName, UNNAMED } from './registry.js'
import { fallback } from './resilience/fallback.js'
import { listener } from './resilience/listener.js'
import { receiptsOf } from './settlement.js'
import { repaymentOf, standbyOf } from './store-failure.js'

/** A limiter for any use, HTTP or not. @throws RateLimitError `RL_CONFIG` */
export function createLimiter(options: LimiterOptions): Limiter {
  return new StoreLimiter(options)
}

const OPTIONS = ['limit', 'name', 'store', 'onStoreFailure', 'onEvent', 'logger'] as const

const CALL_OPTIONS = ['cost', 'limit'] as const

class StoreLimiter implements Limiter {
  readonly name: string
  readonly policies: readonly Policy[]
  readonly store: Store
  readonly [PARTS]: LimiterParts
  readonly #safe: Store
  readonly #ownsStore: boolean
  readonly #told: ToldStore
  #leave: (() => void) | undefined
  /** Limits given as text for one call, parsed. Bounded: the text may come from anywhere. */
  readonly #parsed = new LRUCache<string, readonly Policy[]>({ max: 64 })
  /** Limits given as frozen objects, such as `policies` of another limiter: what they say can't change. */
  readonly #frozen = new WeakMap<object, readonly Policy[]>()

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
    const telling = { limiter: this.name, logger, onEvent: onEvent && listener(onEvent, logger) }
    const repayment = repaymentOf(onStoreFailure, this.store, telling)
    this.#safe = isInProcess(this.store)
      ? this.store
      : fallback(this.store, { standby, outage, repayment, onEvent: telling.onEvent })
    this.#told = new ToldStore(this, this.#safe)
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
    const checked = receiptsOf(decision, this.name).map((receipt) => ({
      receipt,
      actual: checkActual(
        actual,
        receipt.charges.flatMap(({ policies }) => policies),
      ),
    }))
    return checked.reduce<MaybePromise<void>>(
      (before, one) => chain(before, () => this.#safe.settle(one.receipt, one.actual)),
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

  #decide(key: Key, options: ConsumeOptions | undefined, mode: Mode): MaybePromise<Decision> {
    const charges = [this.#chargeFor(key, options)]
    if (decisionChannel.hasSubscribers) return this.#told.consume(charges, mode)
    return this.#safe.consume(charges, mode)
  }

  #chargeFor(key: Key, options: ConsumeOptions | undefined): Charge {
    const { policies } = this
    if (options !== undefined || policies.length === 0) return this.#chargeWith(key, options)
    return { limiter: this.name, key: toKey(key), policies, costs: 1 }
  }

  #chargeWith(key: Key, options: ConsumeOptions = {}): Charge {
    if (!hasOnly(options, CALL_OPTIONS)) checkOptions('consume', options, CALL_OPTIONS)
    const policies = options.limit === undefined ? this.policies : this.#policiesOf(options.limit)
    if (policies.length === 0) throw configError('limit', undefined, 'is per call here: pass { limit }')
    const costs = options.cost === undefined ? 1 : checkCosts(options.cost, policies)
    return { limiter: this.name, key: toKey(key), policies, costs }
  }

  #policiesOf(limit: Limit): readonly Policy[] {
    if (typeof limit !== 'string') return this.#frozen.get(limit) ?? this.#checked(limit)
    if (limit.length > 64) return toPolicies(limit)
    const parsed = this.#parsed.get(limit) ?? toPolicies(limit)
    this.#parsed.set(limit, parsed)
    return parsed
  }

  #checked(limit: Exclude<Limit, string>): readonly Policy[] {
    const policies = toPolicies(limit)
    if (Object.isFrozen(limit) && Object.values(limit).every(Object.isFrozen))
      this.#frozen.set(limit, policies)
    return policies
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
