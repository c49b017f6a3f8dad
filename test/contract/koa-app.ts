import { PassThrough } from 'node:stream'
import Router from '@koa/router'
import { getRateLimit, type RateLimitMiddleware, type RateLimitResult, rateLimit } from '@rl/koa'
import type Koa from 'koa'
import type { Context, Middleware } from 'koa'
import { listen, serverOf } from './listen.js'
import type { Mount, Serve } from './served.js'

/** The application of the contract in Koa: the version is the caller's. Errors are answered by Koa itself. */
export function serveKoa(Framework: typeof Koa): Serve {
  return async (described) => {
    const results: Results = []
    const errors: unknown[] = []
    const limiters = middleware()
    const app = new Framework()
    app.on('error', (error) => {
      // Where an answer has begun, as in a stream that breaks, there is no other to give.
      if (!error.headerSent) errors.push(error)
    })
    if (described.failsBefore) app.use(fails('of the application'))
    for (const limiter of limiters(described.app)) app.use(limiter)
    const api = new Router({ prefix: '/api' })
    for (const limiter of limiters(described.router)) api.use(limiter)
    api.get('/ok', answers(results))
    app.use(api.routes()).use(routes(limiters(described.route), results))
    const server = serverOf(app.callback(), described.listen)
    return { ...(await listen(server, described.listen)), results, errors }
  }
}

type Results = (RateLimitResult | undefined)[]

function routes(onRoute: readonly RateLimitMiddleware[], results: Results): Middleware {
  const ok = answers(results)
  const router = new Router()
  router.get('/ok', ok).post('/ok', ok)
  router.get('/limited', ...onRoute, ok)
  router.get('/users/:id', ...onRoute, ok)
  router.get('/throws', fails('of the handler'))
  router.get('/rejects', () => Promise.reject(new Error('of the handler')))
  router.get('/redirect', (ctx) => ctx.redirect('/ok'))
  router.get('/streams', (ctx) => {
    const body = begun(ctx)
    setImmediate(() => body.end('two'))
  })
  router.get('/breaks', (ctx) => {
    begun(ctx)
    setImmediate(() => ctx.res.destroy())
  })
  router.get('/hangs', (ctx) => {
    begun(ctx)
  })
  router.get('/waits', () => new Promise(() => {}))
  return router.routes() as Middleware
}

/** A body of which only the first part is there. */
function begun(ctx: Context): PassThrough {
  const body = new PassThrough()
  body.write('one')
  ctx.body = body
  return body
}

function answers(results: Results) {
  return (ctx: Context) => {
    results.push(getRateLimit(ctx))
    ctx.body = 'ok'
  }
}

function fails(message: string) {
  return () => {
    throw new Error(message)
  }
}

type Limiters = (mounts?: readonly Mount[]) => readonly RateLimitMiddleware[]

function middleware(): Limiters {
  const made = new Map<Mount, RateLimitMiddleware>()
  return (mounts = []) =>
    mounts.map((mount) => {
      const { onLimited, ...options } = mount
      const limiter =
        made.get(mount) ?? rateLimit({ ...options, onLimited: onLimited && REFUSALS[onLimited] })
      made.set(mount, limiter)
      return limiter
    })
}

const REFUSALS = {
  answers(ctx: Context, result: RateLimitResult) {
    const policy = result.counted ? result.policy : 'none'
    ctx.status = 418
    ctx.body = `${result.limiter}:${policy} ${String(result.key)}`
  },
  throws() {
    throw new Error('of the refusal')
  },
  rejects: () => Promise.reject(new Error('of the refusal')),
}
