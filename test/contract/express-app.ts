import { createServer } from 'node:http'
import { getRateLimit, type RateLimitHandler, type RateLimitResult, rateLimit } from '@rl/express'
import type express from 'express'
import type { NextFunction, Request, Response } from 'express'
import { listen } from './listen.js'
import type { Mount, Serve } from './served.js'

/** The application of the contract in Express: the version is the caller's. */
export function serveExpress(framework: typeof express): Serve {
  return async (described) => {
    const results: Results = []
    const errors: unknown[] = []
    const limiters = middleware()
    const app = framework()
    if (described.failsBefore) app.use(fails('of the application'))
    for (const limiter of limiters(described.app)) app.use(limiter)
    const api = framework.Router()
    for (const limiter of limiters(described.router)) api.use(limiter)
    app.use('/api', api.get('/ok', answers(results)))
    addRoutes(app, limiters(described.route), results)
    app.use((error: Error, _req: Request, res: Response, next: NextFunction) => {
      errors.push(error)
      if (res.headersSent) next(error)
      else res.status(500).send('failed')
    })
    return { ...(await listen(createServer(app), described.listen)), results, errors }
  }
}

type Results = (RateLimitResult | undefined)[]

function addRoutes(app: express.Express, onRoute: readonly RateLimitHandler[], results: Results): void {
  const ok = answers(results)
  app.get('/ok', ok).post('/ok', ok)
  app.get('/limited', ...onRoute, ok)
  app.get('/users/:id', ...onRoute, ok)
  app.get('/throws', fails('of the handler'))
  app.get('/rejects', (_req, _res, next) => {
    // Express 4 takes no promise.
    Promise.reject(new Error('of the handler')).catch(next)
  })
  app.get('/redirect', (_req, res) => res.redirect('/ok'))
  app.get('/streams', (_req, res) => {
    res.write('one')
    setImmediate(() => res.end('two'))
  })
  app.get('/breaks', (_req, res) => {
    res.write('one')
    setImmediate(() => res.destroy())
  })
  app.get('/hangs', (_req, res) => {
    res.write('one')
  })
  app.get('/waits', () => {})
}

function answers(results: Results) {
  return (req: Request, res: Response) => {
    results.push(getRateLimit(req))
    res.send('ok')
  }
}

function fails(message: string) {
  return () => {
    throw new Error(message)
  }
}

type Limiters = (mounts?: readonly Mount[]) => readonly RateLimitHandler[]

function middleware(): Limiters {
  const made = new Map<Mount, RateLimitHandler>()
  return (mounts = []) =>
    mounts.map((mount) => {
      const { onLimited, ...options } = mount
      const handler =
        made.get(mount) ?? rateLimit({ ...options, onLimited: onLimited && REFUSALS[onLimited] })
      made.set(mount, handler)
      return handler
    })
}

const REFUSALS = {
  answers(_req: Request, res: Response, _next: NextFunction, result: RateLimitResult) {
    const policy = result.counted ? result.policy : 'none'
    res.status(418).send(`${result.limiter}:${policy} ${String(result.key)}`)
  },
  throws() {
    throw new Error('of the refusal')
  },
  rejects: () => Promise.reject(new Error('of the refusal')),
}
