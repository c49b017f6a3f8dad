import { NOTHING } from './nothing.mjs'

const DAY_MS = 86_400_000

/** @type {import('./frameworks.mjs').Framework} */
export const koa = {
  title: 'Koa 3',
  ours: '@rl/koa',
  async serve(middleware) {
    const { default: Koa } = await import('koa')
    const app = new Koa()
    if (middleware !== undefined) app.use(middleware)
    app.use((ctx) => {
      ctx.body = { hello: 'world' }
    })
    return app.listen(0, '127.0.0.1')
  },
  limiters: {
    [NOTHING]:
      (limit) => (/** @type {import('koa').Context} */ ctx, /** @type {import('koa').Next} */ next) => {
        if (limit > 1) return next()
        ctx.status = 429
        ctx.body = 'no'
        return undefined
      },
    '@rl/koa': async (limit) => {
      const { rateLimit, slidingWindow } = await import('@rl/koa')
      return rateLimit({ limit: slidingWindow({ limit, window: '1d' }) })
    },
    // The same fields as koa-ratelimit.
    '@rl/koa, legacy': async (limit) => {
      const { rateLimit, slidingWindow } = await import('@rl/koa')
      return rateLimit({ limit: slidingWindow({ limit, window: '1d' }), headers: 'legacy' })
    },
    'koa-ratelimit': async (limit) => {
      // @ts-expect-error It has no types.
      const { default: ratelimit } = await import('koa-ratelimit')
      return ratelimit({ driver: 'memory', db: new Map(), max: limit, duration: DAY_MS })
    },
    'koa2-ratelimit': async (limit) => {
      // @ts-expect-error It has no types.
      const { default: koa2 } = await import('koa2-ratelimit')
      return koa2.RateLimit.middleware({ interval: { day: 1 }, max: limit })
    },
  },
  added: { 'koa-ratelimit': 0.85 },
  kept: 0.9,
}
