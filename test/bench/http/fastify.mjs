import { NOTHING } from './nothing.mjs'

const DAY_MS = 86_400_000
/** A string to the compiler: its types add a second `config.rateLimit` to Fastify's. @type {string} */
const PEER = '@fastify/rate-limit'

/** @type {import('./frameworks.mjs').Framework} */
export const fastify = {
  title: 'Fastify 5',
  ours: '@rl/fastify',
  async serve(register) {
    const { fastify } = await import('fastify')
    const app = fastify()
    await register?.(app)
    app.get('/', () => ({ hello: 'world' }))
    await app.listen({ port: 0, host: '127.0.0.1' })
    return app.server
  },
  limiters: {
    [NOTHING]: (limit) => (/** @type {import('fastify').FastifyInstance} */ app) =>
      app.addHook('onRequest', (_request, reply, done) => {
        if (limit > 1) done()
        else reply.code(429).send('no')
      }),
    '@rl/fastify': async (limit) => {
      const { rateLimit, slidingWindow } = await import('@rl/fastify')
      const options = { limit: slidingWindow({ limit, window: '1d' }) }
      return (/** @type {import('fastify').FastifyInstance} */ app) => app.register(rateLimit, options)
    },
    // The same fields as @fastify/rate-limit.
    '@rl/fastify, legacy': async (limit) => {
      const { rateLimit, slidingWindow } = await import('@rl/fastify')
      const options = {
        limit: slidingWindow({ limit, window: '1d' }),
        headers: /** @type {const} */ ('legacy'),
      }
      return (/** @type {import('fastify').FastifyInstance} */ app) => app.register(rateLimit, options)
    },
    '@fastify/rate-limit': async (limit) => {
      const { default: rateLimit } = await import(PEER)
      const options = { max: limit, timeWindow: DAY_MS }
      return (/** @type {import('fastify').FastifyInstance} */ app) => app.register(rateLimit, options)
    },
  },
  added: { '@fastify/rate-limit': 0.85 },
  kept: 0.9,
}
