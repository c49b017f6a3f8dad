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

  async function rateLimit(ctx: Context, next: Next): Promise<unknown> {
    const view = new KoaView(ctx)
    const own = ctx as Ctx
    if (guard.done !== undefined) onResponseEnd(ctx.res, (outcome) => guard.done?.(view, own, outcome))
    const checked: MaybePromise<Verdict> = guard.check(view, own)
    const verdict = 'then' in checked ? await checked : checked
    if (verdict.result !== undefined) ctx.state.rateLimit = rateLimitOf(ctx.req)
    for (const [name, value] of verdict.headers) ctx.set(name, value)
    try {
      return await (verdict.allowed ? next() : refuse(ctx, verdict))
    } catch (error) {
      throw withFields(error, verdict.headers)
    }
  }

  function refuse(ctx: Context, { status, type, body, result }: Refused): unknown {
    if (throws) ctx.throw(status, { rateLimit: result })
    ctx.status = status
    if (onLimited !== undefined) return onLimited(ctx as Ctx, result)
    ctx.type = type
    ctx.body = body
    return undefined
  }

  return Object.assign(rateLimit, { limiter: guard.limiter })
}

/** What was decided on a request: the tightest result, or that of the limiter called `name`. */
export function getRateLimit(ctx: Pick<Context, 'req'>, name?: string): RateLimitResult | undefined {
  return rateLimitOf(ctx.req, name)
}

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
