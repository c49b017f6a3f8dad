import { createLimiter } from '../limiter.js'
import type { Limiter, LimiterOptions } from '../limiter-types.js'
import { type Costs, checkCosts } from '../model/charge.js'
import { configError } from '../model/errors.js'
import type { Limit } from '../model/limit.js'
import type { MaybePromise } from '../model/store.js'
import { checkOptions } from '../model/suggest.js'
import type { AccessOptions } from './access.js'
import type { FromRequest } from './from-request.js'
import type { HeadersOption } from './headers.js'
import type { KeyFunction } from './keys.js'
import type { RateLimitResult } from './request-state.js'

/** What every adapter takes. `Ctx` is the framework's own object. */
export interface GuardOptions<Ctx> extends Omit<LimiterOptions, 'limit'>, AccessOptions<Ctx> {
  /** What is allowed, or a function of the request that tells. Either this or `limiter`. */
  readonly limit?: Limit | FromRequest<Ctx, Limit> | undefined
  /** A limiter made before, to share it. */
  readonly limiter?: Limiter | undefined
  /** Whom a request counts for. @default byIp() */
  readonly key?: KeyFunction<Ctx> | undefined
  /** What a request costs. @default 1 */
  readonly cost?: Costs | FromRequest<Ctx, Costs> | undefined
  /** True: the request passes uncounted. */
  readonly skip?: FromRequest<Ctx, boolean> | undefined
  /** False: everything passes, no store is asked, no field is sent. @default true */
  readonly enabled?: boolean | FromRequest<Ctx, boolean> | undefined
  /** Which fields tell a client where it stands. @default 'draft-8' */
  readonly headers?: HeadersOption | undefined
  /**
   * Asked once when the response is done, of a request that was admitted: `false` gives the charge back, so that only
   * failed logins count, or only successes. The charge is made before, and stands for anything else, an error included.
   */
  readonly countWhen?: ((ctx: Ctx, outcome: Outcome) => MaybePromise<boolean | undefined>) | undefined
  /** Told once when the response is done, whichever way it ended. Its errors are logged. */
  readonly onDone?: ((ctx: Ctx, outcome: Outcome) => void) | undefined
}

/** How a request ended. */
export interface Outcome {
  /** Undefined when no status had been sent. */
  readonly status: number | undefined
  /** The client went away before the response was complete. */
  readonly aborted: boolean
  readonly result: RateLimitResult | undefined
}

const OPTIONS: readonly (keyof GuardOptions<never>)[] = [
  'limit',
  'limiter',
  'key',
  'cost',
  'skip',
  'enabled',
  'allow',
  'deny',
  'address',
  'headers',
  'countWhen',
  'onDone',
  'name',
  'store',
  'onStoreFailure',
  'onEvent',
  'logger',
]

const FUNCTIONS = ['key', 'skip', 'countWhen', 'onDone', 'onLimited', 'getConnInfo']

/**
 * Checks what TypeScript can't, for JavaScript's sake: a misspelt option would be no limit. `ownOptions` are those that
 * the adapter adds.
 * @throws RateLimitError `RL_CONFIG`
 */
export function checkGuardOptions<Ctx>(options: GuardOptions<Ctx>, ownOptions: readonly string[]): void {
  checkOptions('rateLimit', options, [...OPTIONS, ...ownOptions])
  const { enabled, throw: throws, ...given } = options as GuardOptions<Ctx> & Record<string, unknown>
  for (const name of FUNCTIONS) {
    const value = given[name]
    if (value !== undefined && typeof value !== 'function') throw configError(name, value, 'takes a function')
  }
  if (throws !== undefined && typeof throws !== 'boolean') {
    throw configError('throw', throws, 'takes true or false')
  }
  if (enabled !== undefined && typeof enabled !== 'boolean' && typeof enabled !== 'function') {
    throw configError('enabled', enabled, 'takes true, false or a function')
  }
}

/** The limiter that the options name or describe. */
export function limiterOf<Ctx>(options: GuardOptions<Ctx>): Limiter {
  const { limiter, limit, name, store, onStoreFailure, onEvent, logger } = options
  if (limiter === undefined) {
    return createLimiter({
      limit: typeof limit === 'function' ? 'per-call' : (limit as Limit),
      name,
      store,
      onStoreFailure,
      onEvent,
      logger,
    })
  }
  const both = (['limit', 'name', 'store', 'onStoreFailure', 'onEvent'] as const).find(
    (option) => options[option] !== undefined,
  )
  if (both !== undefined)
    throw configError(both, options[both], 'belongs to the limiter that is passed already')
  if (typeof limiter?.consume === 'function') return limiter
  throw configError('limiter', limiter, 'takes the result of createLimiter(…)')
}

/** Checks a cost that is no function; one by policy name can be held only to a limit that is fixed too. */
export function checkFixedCost(cost: unknown, { policies }: Limiter): void {
  if (cost === undefined || typeof cost === 'function') return
  if (typeof cost !== 'object' || policies.length > 0) checkCosts(cost, policies)
}

/** What a function gave as a cost. One that gives nothing has forgotten its return; it does not mean the default. */
export function checkGivenCost<T>(cost: T): T {
  if (cost === undefined) checkCosts(cost, [])
  return cost
}
