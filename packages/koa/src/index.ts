import type { Limiter, MaybePromise } from '@rl/core'
import {
  createGuard,
  type Field,
  type GuardOptions,
  onResponseEnd,
  type RateLimitResult,
  rateLimitOf,
  type Verdict,
} from '@rl/core/http'
import type { Context, Middleware, Next } from 'koa'
import { KoaView } from './koa-view.js'

export { fixedWindow, memoryStore, slidingLog, slidingWindow, tokenBucket } from '@rl/core'
export {
  byApiKey,
  byCookie,
  byHeader,
  byIp,
  byRoute,
  byUser,
  cachedLimit,
  compose,
  firstOf,
  ipKey,
  type RateLimitResult,
} from '@rl/core/http'

/** The options of all adapters, with functions that get Koa's context. */
export interface RateLimitOptions<Ctx = Context> extends GuardOptions<Ctx> {
  /** Answers a refused request instead of the default; status and fields are set already. */
  readonly onLimited?: ((ctx: Ctx, result: RateLimitResult) => unknown) | undefined
  /** True: a refusal is an error with status and fields, for error middleware to answer. @default false */
  readonly throw?: boolean | undefined
}

/** What the middleware adds to the context: `ctx.state.rateLimit`, the tightest result so far. */
export interface RateLimitState {
  rateLimit: RateLimitResult
}

/** Koa middleware, with the limiter behind it: to reset a key after a login, or to settle a cost. */
export type RateLimitMiddleware = Middleware<RateLimitState> & { readonly limiter: Limiter }

/** Limits requests: `app.use(rateLimit({ limit: '100/1m' }))`. @throws RateLimitError `RL_CONFIG` */
export function rateLimit<Ctx = Context>(options: RateLimitOptions<Ctx>): RateLimitMiddleware {
  const guard = createGuard(options, ['onLimited', 'throw'])
  const { onLimited, throw: throws = false } = options

  // Not async: that would be one more promise for each request.
  function rateLimit(ctx: Context, next: Next): Promise<unknown> {
    const view = new KoaView(ctx)
    const own = ctx as Ctx
    if (guard.done !== undefined) onResponseEnd(ctx.res, (outcome) => guard.done?.(view, own, outcome))
    let verdict: MaybePromise<Verdict>
    try {
      verdict = guard.check(view, own)
    } catch (error) {
      return Promise.reject(error)
    }
    return 'then' in verdict ? verdict.then((known) => follow(ctx, next, known)) : follow(ctx, next, verdict)
  }

  function follow(ctx: Context, next: Next, verdict: Verdict): Promise<unknown> {
    if (verdict.tightest !== undefined) ctx.state.rateLimit = verdict.tightest
    if (!ctx.headerSent) for (const [name, value] of verdict.headers) ctx.res.setHeader(name, value)
    const fail = (error: unknown) => Promise.reject(withFields(error, verdict.headers))
    try {
      const answered: unknown = verdict.allowed ? next() : refuse(ctx, verdict)
      return answered === undefined ? ANSWERED : Promise.resolve(answered).then(undefined, fail)
    } catch (error) {
      return fail(error)
    }
  }

  function refuse(ctx: Context, { status, type, body, result }: Refused): unknown {
    if (throws) ctx.throw(status, { rateLimit: result })
    ctx.status = status
    if (onLimited !== undefined) return onLimited(ctx as Ctx, result)
    if (!ctx.headerSent) ctx.res.setHeader('Content-Type', type)
    ctx.body = body
    return undefined
  }

  return Object.assign(rateLimit, { limiter: guard.limiter })
}

/** What was decided on a request: the tightest result, or that of the limiter called `name`. */
export function getRateLimit(ctx: Pick<Context, 'req'>, name?: string): RateLimitResult | undefined {
  return rateLimitOf(ctx.req, name)
}

const ANSWERED: Promise<unknown> = Promise.resolve()

type Refused = Extract<Verdict, { allowed: false }>

/** Koa clears every field when it answers an error, but for those that the error brings. */
function withFields(error: unknown, fields: readonly Field[]): unknown {
  if (typeof error !== 'object' || error === null) return error
  const { headers = {} } = error as { headers?: unknown }
  // Headers of another kind, such as those of a failed `fetch`, are not Koa's. An error that is frozen stays as it is.
  if (
    typeof headers === 'object' &&
    headers !== null &&
    Object.getPrototypeOf(headers) === Object.prototype
  ) {
    Reflect.set(error, 'headers', { ...Object.fromEntries(fields), ...headers })
  }
  return error
}
