import type { Limiter, MaybePromise } from '@rl/core'
import {
  createGuard,
  type Field,
  type GuardOptions,
  onResponseEnd,
  type RateLimitResult,
  rateLimitOf,
  toError,
  type Verdict,
} from '@rl/core/http'
import type { NextFunction, Request, RequestHandler, Response } from 'express'
import { ExpressView } from './express-view.js'

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

/** The options of all adapters, with functions that get Express's request. */
export interface RateLimitOptions<Req = Request> extends GuardOptions<Req> {
  /** Answers a refused request instead of the default; status and fields are set already. Errors go to `next`. */
  readonly onLimited?:
    | ((req: Req, res: Response, next: NextFunction, result: RateLimitResult) => unknown)
    | undefined
}

/** Express middleware, with the limiter behind it: to reset a key after a login, or to settle a cost. */
export interface RateLimitHandler extends RequestHandler {
  readonly limiter: Limiter
}

/** Limits requests: `app.use(rateLimit({ limit: '100/1m' }))`. @throws RateLimitError `RL_CONFIG` */
export function rateLimit<Req = Request>(options: RateLimitOptions<Req>): RateLimitHandler {
  const guard = createGuard(options, ['onLimited'])
  const { onLimited } = options

  function rateLimit(req: Request, res: Response, next: NextFunction): void {
    const ctx = req as Req
    const { locals } = res
    const view = new ExpressView(req, locals)
    if (guard.done !== undefined) onResponseEnd(res, (outcome) => guard.done?.(view, ctx, outcome))
    let verdict: MaybePromise<Verdict>
    try {
      verdict = guard.check(view, ctx)
    } catch (error) {
      next(error)
      return
    }
    if ('then' in verdict) verdict.then(follow, next)
    else follow(verdict)

    function follow(verdict: Verdict): void {
      if (verdict.tightest !== undefined) locals.rateLimit = verdict.tightest
      if (!res.headersSent) setFields(res, verdict.headers)
      // Outside of any try: what is thrown downstream is not ours.
      if (verdict.allowed) next()
      else if (!res.headersSent) refuse(verdict)
    }

    function refuse({ status, type, body, result }: Extract<Verdict, { allowed: false }>): void {
      res.statusCode = status
      if (onLimited === undefined) {
        res.setHeader('Content-Type', type)
        res.end(body)
        return
      }
      new Promise((resolve) => resolve(onLimited(ctx, res, next, result))).catch((thrown) =>
        next(toError(thrown)),
      )
    }
  }

  return Object.assign(rateLimit, { limiter: guard.limiter })
}

/** What was decided on a request: the tightest result, or that of the limiter called `name`. */
export function getRateLimit(req: Request, name?: string): RateLimitResult | undefined {
  return req.res && rateLimitOf(req, name, req.res.locals)
}

function setFields(res: Response, fields: readonly Field[]): void {
  // Looked up once, as in the view.
  const { setHeader } = res
  for (const [name, value] of fields) setHeader.call(res, name, value)
}
