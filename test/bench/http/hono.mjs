import { NOTHING } from './nothing.mjs'

const DAY_MS = 86_400_000

/** @type {import('./frameworks.mjs').Framework} */
export const hono = {
  title: 'Hono 4',
  ours: '@rl/hono',
  async serve(middleware) {
    const { Hono } = await import('hono')
    const { serve } = await import('@hono/node-server')
    const app = new Hono()
    if (middleware !== undefined) app.use(middleware)
    app.get('/', (c) => c.json({ hello: 'world' }))
    return /** @type {import('node:http').Server} */ (
      serve({ fetch: app.fetch, hostname: '127.0.0.1', port: 0 })
    )
  },
  limiters: {
    [NOTHING]: (limit) =>
      limit === 1
        ? async (/** @type {import('hono').Context} */ c) => c.text('no', 429)
        : async (/** @type {unknown} */ _c, /** @type {import('hono').Next} */ next) => next(),
    '@rl/hono': async (limit) => {
      const { getConnInfo } = await import('@hono/node-server/conninfo')
      const { rateLimit, slidingWindow } = await import('@rl/hono')
      return rateLimit({ limit: slidingWindow({ limit, window: '1d' }), getConnInfo })
    },
    'hono-rate-limiter': async (limit) => {
      const { getConnInfo } = await import('@hono/node-server/conninfo')
      const { rateLimiter } = await import('hono-rate-limiter')
      return rateLimiter({
        limit,
        windowMs: DAY_MS,
        keyGenerator: (c) => String(getConnInfo(c).remote.address),
      })
    },
  },
  added: { 'hono-rate-limiter': 0.3 },
  kept: 0.9,
}
