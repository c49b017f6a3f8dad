// The Express applications that are measured: one route behind one limiter.

/** @typedef {import('express').RequestHandler} Handler */

/** What stands in front of the route, for a limit in a minute. @type {Record<string, (limit: number) => Promise<Handler>>} */
const middlewares = {
  '@rl/express': async (limit) => {
    const { rateLimit, slidingWindow } = await import('@rl/express')
    return rateLimit({ limit: slidingWindow({ limit, window: '1m' }) })
  },
  'express-rate-limit': async (limit) => {
    const { rateLimit } = await import('express-rate-limit')
    return rateLimit({ limit, windowMs: 60_000 })
  },
  // The same fields as ours.
  'express-rate-limit, draft-8': async (limit) => {
    const { rateLimit } = await import('express-rate-limit')
    return rateLimit({ limit, windowMs: 60_000, standardHeaders: 'draft-8', legacyHeaders: false })
  },
  // As its README has it; it sends no fields.
  'rate-limiter-flexible': async (limit) => {
    const { RateLimiterMemory } = await import('rate-limiter-flexible')
    const limiter = new RateLimiterMemory({ points: limit, duration: 60 })
    return (req, res, next) => {
      limiter
        .consume(/** @type {string} */ (req.ip))
        .then(() => next())
        .catch(() => res.status(429).send('Too Many Requests'))
    }
  },
}

export const BARE = 'bare Express'

export const apps = [BARE, ...Object.keys(middlewares)]

/** @param {string} name @param {number} limit */
export async function makeApp(name, limit) {
  const { default: express } = await import('express')
  const app = express()
  const middleware = await middlewares[name]?.(limit)
  if (middleware !== undefined) app.use(middleware)
  app.get('/', (_req, res) => {
    res.json({ hello: 'world' })
  })
  return app
}
