import { NOTHING } from './nothing.mjs'

/** @typedef {import('express').RequestHandler} Handler */

const DAY_MS = 86_400_000

/** @type {import('./frameworks.mjs').Framework} */
export const express = {
  title: 'Express 5',
  ours: '@rl/express',
  async serve(middleware) {
    const { default: express } = await import('express')
    const app = express()
    if (middleware !== undefined) app.use(middleware)
    app.get('/', (_req, res) => {
      res.json({ hello: 'world' })
    })
    return app.listen(0, '127.0.0.1')
  },
  limiters: {
    [NOTHING]: (limit) =>
      /** @type {Handler} */ (
        (_req, res, next) => {
          if (limit > 1) next()
          else res.status(429).send('no')
        }
      ),
    '@rl/express': async (limit) => {
      const { rateLimit, slidingWindow } = await import('@rl/express')
      return rateLimit({ limit: slidingWindow({ limit, window: '1d' }) })
    },
    'express-rate-limit': async (limit) => {
      const { rateLimit } = await import('express-rate-limit')
      return rateLimit({ limit, windowMs: DAY_MS })
    },
    // The same fields as ours.
    'express-rate-limit, draft-8': async (limit) => {
      const { rateLimit } = await import('express-rate-limit')
      return rateLimit({ limit, windowMs: DAY_MS, standardHeaders: 'draft-8', legacyHeaders: false })
    },
    // As its README has it; it sends no fields.
    'rate-limiter-flexible': async (limit) => {
      const { RateLimiterMemory } = await import('rate-limiter-flexible')
      const limiter = new RateLimiterMemory({ points: limit, duration: 86_400 })
      return /** @type {Handler} */ (
        (req, res, next) => {
          limiter
            .consume(/** @type {string} */ (req.ip))
            .then(() => next())
            .catch(() => res.status(429).send('Too Many Requests'))
        }
      )
    },
  },
  added: { 'express-rate-limit': 0.5 },
  kept: 0.95,
}
