import { fileURLToPath } from 'node:url'
import { rateLimit } from '@rl/express'
import express, { type ErrorRequestHandler, type Express, type Request, type RequestHandler } from 'express'
import type { Limits } from './limits.js'
import type { Metrics } from './metrics.js'
import { PAGE } from './page.js'

export interface AppOptions {
  readonly limits: Limits
  readonly metrics: Metrics
  /** What takes the requests that are not for the gateway itself. */
  readonly proxy: RequestHandler | undefined
}

/** A small API behind a limit, and perhaps another one behind it: everything counts but `/health` and `/metrics`. */
export function createApp({ limits, metrics, proxy }: AppOptions): Express {
  const app = express()
  app.disable('x-powered-by')
  // What is not exactly a path of the gateway is the upstream's.
  app.enable('case sensitive routing')
  app.enable('strict routing')

  // Load balancers and Prometheus ask often, and must not be told to come back later: they stand before the limiter.
  app.get('/health', (_req, res) => {
    res.json({ status: 'ok', counting: limits.counting() })
  })
  app.get('/metrics', async (_req, res) => {
    res.type(metrics.contentType).send(await metrics.text())
  })

  const limiter = limiterOf(limits, metrics)
  if (proxy === undefined) app.use('/api', limiter)
  else app.use(limiter)

  app.get('/api/ping', (_req, res) => {
    res.json({ pong: true })
  })

  // The body is read behind the limiter: a refused request costs no parsing.
  app.post('/api/echo', express.text({ type: () => true, limit: '64kb' }), (req, res) => {
    res.type('text/plain').send(req.body)
  })

  if (proxy === undefined) servePage(app)
  else app.use(proxy)

  app.use((_req, res) => {
    res.status(404).json({ error: 'not found' })
  })
  app.use(((error, _req, res, next) => {
    if (res.headersSent) next(error)
    else res.status(error.status ?? 500).json({ error: error.expose ? error.message : 'internal error' })
  }) satisfies ErrorRequestHandler)
  return app
}

function limiterOf({ options, tenants }: Limits, metrics: Metrics): RequestHandler {
  return rateLimit<unknown>({
    ...options,
    headers: ['draft-8', 'legacy'],
    onEvent: metrics.heard,
    onDone: (req, { result }) => metrics.request(tenants?.of(req as Request)?.name ?? 'default', result),
  })
}

function servePage(app: Express): void {
  app.get('/', (_req, res) => {
    res.set('Content-Security-Policy', "default-src 'self'; style-src 'unsafe-inline'").send(PAGE)
  })
  app.get('/page-script.js', (_req, res) => {
    res.sendFile(fileURLToPath(new URL('./page-script.js', import.meta.url)))
  })
}
