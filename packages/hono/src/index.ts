import { type Limiter, type MaybePromise, RateLimitError } from '@rl/core'
import {
  createGuard,
  type GuardOptions,
  type RateLimitResult,
  rateLimitOf,
  type Verdict,
} from '@rl/core/http'
import type { Context, MiddlewareHandler, Next } from 'hono'
import { completeFields, prepareFields } from './fields.js'
import { type GetConnInfo, HonoView } from './hono-view.js'
import { ending } from './response-end.js'

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
export type { GetConnInfo } from './hono-view.js'

/** The options of all adapters, with functions that get Hono's context. */
export interface RateLimitOptions<Ctx = Context> extends GuardOptions<Ctx> {
  /** `getConnInfo` of your runtime, from `@hono/node-server/conninfo`, `hono/bun`, …: who is at the other end. */
  readonly getConnInfo?: GetConnInfo | undefined
  /** Answers a refused request instead of the default; the fields are added to what it gives. */
  readonly onLimited?: ((c: Ctx, result: RateLimitResult) => MaybePromise<Response>) | undefined
}

/** What the middleware adds to the context: `c.var.rateLimit`. */
export interface RateLimitEnv {
  Variables: { rateLimit: RateLimitResult }
}

/** Hono middleware, with the limiter behind it: to reset a key after a login, or to settle a cost. */
export type RateLimitMiddleware = MiddlewareHandler<RateLimitEnv> & { readonly limiter: Limiter }

/** Limits requests: `app.use(rateLimit({ limit: '100/1m', getConnInfo }))`. @throws RateLimitError `RL_CONFIG` */
export function rateLimit<Ctx = Context>(options: RateLimitOptions<Ctx>): RateLimitMiddleware {
  const guard = createGuard(options, ['getConnInfo', 'onLimited'])
  const { getConnInfo, onLimited } = options
  if (getConnInfo === undefined && (options.key === undefined || hasAddresses(options))) throw noAddress()

  async function rateLimit(c: Context, next: Next): Promise<undefined> {
    const ctx = c as Ctx
    const view = new HonoView(c, getConnInfo)
    const end = guard.done && ending(c, (outcome) => guard.done?.(view, ctx, outcome))
    try {
      const checked = guard.check(view, ctx)
      const verdict = 'then' in checked ? await checked : checked
      if (verdict.tightest !== undefined) c.set('rateLimit', verdict.tightest)
      prepareFields(c, verdict.headers)
      if (verdict.allowed) await next()
      else c.res = await refuse(c, verdict)
      // Our own answer is made by the context, with all that was prepared.
      if (verdict.allowed || onLimited !== undefined) completeFields(c)
      end?.answered()
    } catch (error) {
      end?.failed()
      throw error
    }
  }

  function refuse(c: Context, { status, type, body, result }: Refused): MaybePromise<Response> {
    c.status(status as 429)
    return onLimited === undefined
      ? c.body(body, undefined, { 'Content-Type': type })
      : onLimited(c as Ctx, result)
  }

  return Object.assign(rateLimit as MiddlewareHandler<RateLimitEnv>, { limiter: guard.limiter })
}

/** What was decided on a request: the tightest result, or that of the limiter called `name`. */
export function getRateLimit(c: Context, name?: string): RateLimitResult | undefined {
  return rateLimitOf(c, name)
}

type Refused = Extract<Verdict, { allowed: false }>

/** Lists of addresses that no request could match would let everyone in. */
function hasAddresses<Ctx>({ allow, deny }: RateLimitOptions<Ctx>): boolean {
  return [allow, deny].some((list) => typeof list === 'object' && list.ips !== undefined)
}

function noAddress(): RateLimitError {
  return new RateLimitError(
    'RL_CONFIG',
    'rateLimit: Hono does not know who is at the other end, so pass getConnInfo of your runtime ' +
      "(import { getConnInfo } from '@hono/node-server/conninfo', 'hono/bun', 'hono/deno', 'hono/cloudflare-workers', …) " +
      'or a key: (c) => … (and no lists of addresses)',
  )
}
