import type { Limiter } from '../limiter-types.js'
import type { Decision, Uncounted } from '../model/decision.js'
import { type Key, toKey } from '../model/key.js'
import { toLogger } from '../model/logger.js'
import { chain, isPromise } from '../model/maybe-promise.js'
import type { MaybePromise } from '../model/store.js'
import { type Access, accessOf } from './access.js'
import { listenersOf } from './count-when.js'
import { Endings } from './endings.js'
import { checkBoolean } from './from-request.js'
import {
  checkFixedCost,
  checkGivenCost,
  checkGuardOptions,
  type GuardOptions,
  limiterOf,
  type Outcome,
} from './guard-options.js'
import { type Field, type FieldWriter, fieldWriter, retryAfter } from './headers.js'
import { byIp, type KeyFunction } from './keys.js'
import { refusalOf } from './problem.js'
import { type RateLimitResult, type RequestState, resultOf, stateOf } from './request-state.js'
import type { RequestView } from './request-view.js'
import { toError } from './thrown.js'
import { isUnknown, LIMIT_UNKNOWN } from './unknown-limits.js'

/** What an adapter has to write: always the headers; on a refusal also status and body. */
export type Verdict = Passed | Refused

interface Passed {
  readonly allowed: true
  readonly headers: readonly Field[]
  readonly result: RateLimitResult | undefined
}

interface Refused {
  readonly allowed: false
  readonly status: number
  readonly headers: readonly Field[]
  /** Media type of `body`. */
  readonly type: string
  readonly body: string
  readonly result: RateLimitResult
}

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

const NOT_STORED: readonly Field[] = [['Cache-Control', 'no-store']]
const PASSED: Verdict = { allowed: true, headers: [], result: undefined }

class LimiterGuard<Ctx> implements Guard<Ctx> {
  readonly limiter: Limiter
  readonly done: Guard<Ctx>['done']
  readonly #options: GuardOptions<Ctx>
  readonly #key: KeyFunction<Ctx>
  readonly #access: Access<Ctx> | undefined
  readonly #write: FieldWriter
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
    const { enabled = true } = this.#options
    return chain(typeof enabled === 'function' ? enabled(ctx, view) : enabled, (isEnabled) => {
      if (!checkBoolean(isEnabled, 'enabled')) return PASSED
      if (this.#access === undefined) return this.#unlessSkipped(view, ctx)
      return chain(this.#access.ofRequest(view, ctx), (ruling) =>
        ruling === undefined ? this.#unlessSkipped(view, ctx) : this.#follow(ruling, view, undefined),
      )
    })
  }

  #unlessSkipped(view: RequestView, ctx: Ctx): MaybePromise<Verdict> {
    const { skip } = this.#options
    if (skip === undefined) return this.#forKey(view, ctx)
    return chain(skip(ctx, view), (isSkipped) => {
      if (!checkBoolean(isSkipped, 'skip')) return this.#forKey(view, ctx)
      return this.#record(
        view,
        { counted: false, allowed: true, source: 'none', reason: 'skipped' },
        undefined,
      )
    })
  }

  #forKey(view: RequestView, ctx: Ctx): MaybePromise<Verdict> {
    return chain(this.#key(ctx, view), (key) => {
      const ruling = this.#access?.ofKey(toKey(key))
      if (ruling !== undefined) return this.#follow(ruling, view, key)
      const state = stateOf(view.carrier)
      const earlier = state.earlier(this.limiter, key as Key)
      return earlier === undefined
        ? this.#consume(view, ctx, key as Key)
        : this.#verdict(view, state, earlier)
    })
  }

  #consume(view: RequestView, ctx: Ctx, key: Key): MaybePromise<Verdict> {
    const { limit, cost } = this.#options
    return chain(typeof limit === 'function' ? limit(ctx, view) : undefined, (limitNow) => {
      if (isUnknown(limitNow)) return this.#record(view, LIMIT_UNKNOWN, key)
      return chain(typeof cost === 'function' ? chain(cost(ctx, view), checkGivenCost) : cost, (costNow) =>
        chain(this.limiter.consume(key, { limit: limitNow, cost: costNow }), (decision) =>
          this.#record(view, decision, key),
        ),
      )
    })
  }

  /** What a list says. Fields of limiters further out stay as they wrote them. */
  #follow(ruling: Uncounted, view: RequestView, key: Key | undefined): Verdict {
    const verdict = this.#record(view, ruling, key)
    if (verdict.allowed || this.#access === undefined) return verdict
    const { status, type, body } = this.#access.refusal(view)
    return { allowed: false, status, type, body, headers: NOT_STORED, result: verdict.result }
  }

  #record(view: RequestView, decision: Decision, key: Key | undefined): Verdict {
    const result = resultOf(decision, this.limiter.name, key)
    const state = stateOf(view.carrier)
    state.add({ by: this.limiter, result, told: this.#options.headers !== false })
    return this.#verdict(view, state, result)
  }

  #verdict(view: RequestView, { told }: RequestState, result: RateLimitResult): Verdict {
    const headers = told.length > 0 ? this.#write(told) : []
    if (result.allowed) return { allowed: true, headers, result }
    headers.push(...retryAfter(result), ['Cache-Control', 'no-store'])
    const { status, type, body } = refusalOf(result, view.header('accept'), told)
    return { allowed: false, status, type, body, headers, result }
  }
}

function rethrow(thrown: unknown): never {
  throw toError(thrown)
}
