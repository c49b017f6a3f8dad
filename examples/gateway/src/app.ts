import { fileURLToPath } from 'node:url'
import { type RateLimitOptions, rateLimit } from '@rl/express'
import express, { type ErrorRequestHandler, type Express } from 'express'
import { PAGE } from './page.js'

/** How the gateway limits, and how it is doing. */
export interface Limits extends Pick<RateLimitOptions, 'limit' | 'store' | 'onStoreFailure'> {
  /** For `/health`: where it counts, and whether that works. */
  readonly counting: () => string
}

/** A small API behind a limit: everything below `/api` counts, for each client address. */
export function createApp({ counting, ...limits }: Limits): Express {
  const app = express()
  app.disable('x-powered-by')

  // Load balancers ask often, and must not be told to come back later: it stands before the limiter.
  app.get('/health', (_req, res) => {
    res.json({ status: 'ok', counting: counting() })
  })

  app.use('/api', rateLimit({ ...limits, headers: ['draft-8', 'legacy'] }))

  app.get('/api/ping', (_req, res) => {
    res.json({ pong: true })
  })

  // The body is read behind the limiter: a refused request costs no parsing.
  app.post('/api/echo', express.text({ type: () => true, limit: '64kb' }), (req, res) => {
    res.type('text/plain').send(req.body)
  })

  app.get('/', (_req, res) => {
    res.set('Content-Security-Policy', "default-src 'self'; style-src 'unsafe-inline'").send(PAGE)
  })
  app.get('/page-script.js', (_req, res) => {
    res.sendFile(fileURLToPath(new URL('./page-script.js', import.meta.url)))
  })

  app.use((_req, res) => {
    res.status(404).json({ error: 'not found' })
  })
  app.use(((error, _req, res, next) => {
    if (res.headersSent) next(error)
    else res.status(error.status ?? 500).json({ error: error.expose ? error.message : 'internal error' })
  }) satisfies ErrorRequestHandler)
  return app
}
