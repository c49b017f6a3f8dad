import type { Limiter } from '../limiter-types.js'
import type { Decision, Uncounted } from '../model/decision.js'
import { type Key, toKey } from '../model/key.js'
import { toLogger } from '../model/logger.js'
import { chain, isPromise } from '../model/maybe-promise.js'
import type { MaybePromise } from '../model/store.js'
import { type Access, accessOf } from './access.js'
import { listenersOf } from './count-when.js'
import { Endings } from './endings.js'
import type { Field, FieldWriter } from './field.js'
import { checkBoolean } from './from-request.js'
import {
  checkFixedCost,
  checkGivenCost,
  checkGuardOptions,
  type GuardOptions,
  limiterOf,
  type Outcome,
} from './guard-options.js'
import { fieldWriter, refusalFields } from './headers.js'
import { byIp, type KeyFunction } from './keys.js'
import { type RefusalWriter, refusalWriter } from './problem.js'
import { type RateLimitResult, type RequestState, resultOf, stateOf } from './request-state.js'
import type { RequestView } from './request-view.js'
import { toError } from './thrown.js'
import { isUnknown, LIMIT_UNKNOWN } from './unknown-limits.js'
import type { Verdict } from './verdict.js'

/** The way of a request, the same for every framework. */
export interface Guard<Ctx> {
  readonly limiter: Limiter
  /** Decides for a request: at once, without a promise, when nothing in the options needs one. Fails with objects only. */
  check(view: RequestView, ctx: Ctx): MaybePromise<Verdict>
  /** To be called once when the response is done; absent when nobody wants to know. */
  readonly done: ((view: RequestView, ctx: Ctx, outcome: Omit<Outcome, 'result'>) => void) | undefined
}

/** `ownOptions` are those that the adapter adds. @throws RateLimitError `RL_CONFIG` */
export function createGuard<Ctx>(options: GuardOptions<Ctx>, ownOptions: readonly string[] = []): Guard<Ctx> {
  checkGuardOptions(options, ownOptions)
  return new LimiterGuard(options)
}

const NONE: readonly Field[] = []
const NOT_STORED: readonly Field[] = [['Cache-Control', 'no-store']]
const SKIPPED: Uncounted = { counted: false, allowed: true, source: 'none', reason: 'skipped' }
const PASSED: Verdict = { allowed: true, headers: NONE, result: undefined, tightest: undefined }

class LimiterGuard<Ctx> implements Guard<Ctx> {
  readonly limiter: Limiter
  readonly done: Guard<Ctx>['done']
  readonly #options: GuardOptions<Ctx>
  readonly #key: KeyFunction<Ctx>
  readonly #access: Access<Ctx> | undefined
  readonly #write: FieldWriter
  readonly #refusalFields = refusalFields()
  readonly #refuse: RefusalWriter = refusalWriter()
  readonly #endings: Endings<Ctx> | undefined

  constructor(options: GuardOptions<Ctx>) {
    const logger = toLogger(options.logger)
    this.#options = options
    this.#write = fieldWriter(options.headers ?? 'draft-8')
    this.#key = options.key ?? byIp({ logger })
    this.#access = accessOf(options, this.#key)
    this.limiter = limiterOf(options)
    checkFixedCost(options.cost, this.limiter)
    const listeners = listenersOf(options, this.limiter)
    const endings = listeners.length > 0 ? new Endings(listeners, this.limiter.name, logger) : undefined
    this.#endings = endings
    this.done = endings && (({ carrier }, ctx, outcome) => endings.end(carrier, ctx, outcome))
  }

  check(view: RequestView, ctx: Ctx): MaybePromise<Verdict> {
    if (this.#endings === undefined) return this.#attempt(view, ctx)
    return this.#endings.watch(view.carrier, () => this.#attempt(view, ctx))
  }

  #attempt(view: RequestView, ctx: Ctx): MaybePromise<Verdict> {
    try {
      const verdict = this.#decide(view, ctx)
      return isPromise(verdict) ? verdict.then(undefined, rethrow) : verdict
    } catch (thrown) {
      return rethrow(thrown)
    }
  }

  #decide(view: RequestView, ctx: Ctx): MaybePromise<Verdict> {
    const { enabled } = this.#options
    if (enabled === undefined) return this.#unlessListed(view, ctx)
    return chain(typeof enabled === 'function' ? enabled(ctx, view) : enabled, (isEnabled) =>
      checkBoolean(isEnabled, 'enabled') ? this.#unlessListed(view, ctx) : PASSED,
    )
  }

  #unlessListed(view: RequestView, ctx: Ctx): MaybePromise<Verdict> {
    if (this.#access === undefined) return this.#unlessSkipped(view, ctx)
    return chain(this.#access.ofRequest(view, ctx), (ruling) =>
      ruling === undefined ? this.#unlessSkipped(view, ctx) : this.#follow(ruling, view, undefined),
    )
  }

  #unlessSkipped(view: RequestView, ctx: Ctx): MaybePromise<Verdict> {
    const { skip } = this.#options
    if (skip === undefined) return this.#forKey(view, ctx)
    return chain(skip(ctx, view), (isSkipped) =>
      checkBoolean(isSkipped, 'skip') ? this.#record(view, SKIPPED, undefined) : this.#forKey(view, ctx),
    )
  }

  #forKey(view: RequestView, ctx: Ctx): MaybePromise<Verdict> {
    return chain(this.#key(ctx, view), (key) => {
      const ruling = this.#access?.ofKey(toKey(key))
      if (ruling !== undefined) return this.#follow(ruling, view, key)
      const state = stateOf(view)
      const earlier = state.earlier(this.limiter, key as Key)
      if (earlier !== undefined) return this.#verdict(view, state, earlier)
      return chain(this.#consume(view, ctx, key as Key), (decision) =>
        this.#recordOn(state, view, resultOf(decision, this.limiter.name, key)),
      )
    })
  }

  #consume(view: RequestView, ctx: Ctx, key: Key): MaybePromise<Decision> {
    const { limit, cost } = this.#options
    if (typeof limit !== 'function' && typeof cost !== 'function')
      return this.limiter.consume(key, cost === undefined ? undefined : { cost })
    return chain(typeof limit === 'function' ? limit(ctx, view) : undefined, (limitNow) => {
      if (isUnknown(limitNow)) return LIMIT_UNKNOWN
      return chain(typeof cost === 'function' ? chain(cost(ctx, view), checkGivenCost) : cost, (costNow) =>
        this.limiter.consume(key, { limit: limitNow, cost: costNow }),
      )
    })
  }

  /** What a list says. Fields of limiters further out stay as they wrote them. */
  #follow(ruling: Uncounted, view: RequestView, key: Key | undefined): Verdict {
    const verdict = this.#record(view, ruling, key)
    if (verdict.allowed || this.#access === undefined) return verdict
    const { status, type, body } = this.#access.refusal(view)
    const { result, tightest } = verdict
    return { allowed: false, status, type, body, headers: NOT_STORED, result, tightest }
  }

  #record(view: RequestView, decision: Decision, key: Key | undefined): Verdict {
    return this.#recordOn(stateOf(view), view, resultOf(decision, this.limiter.name, key))
  }

  #recordOn(state: RequestState, view: RequestView, result: RateLimitResult): Verdict {
    state.add({ by: this.limiter, result, told: this.#options.headers !== false })
    return this.#verdict(view, state, result)
  }

  #verdict(view: RequestView, state: RequestState, result: RateLimitResult): Verdict {
    const { told } = state
    const tightest = state.result() as RateLimitResult
    const fields = told.length > 0 ? this.#write(told) : NONE
    if (result.allowed) return { allowed: true, headers: fields, result, tightest }
    const headers = this.#refusalFields(fields, result)
    const { status, type, body } = this.#refuse(result, view.header('accept'), told)
    return { allowed: false, status, type, body, headers, result, tightest }
  }
}

function rethrow(thrown: unknown): never {
  throw toError(thrown)
}
