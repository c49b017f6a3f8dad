import {
  byCookie,
  byIp,
  byUser,
  cachedLimit,
  firstOf,
  getRateLimit,
  type Hook,
  type PluginOptions,
  type RateLimitOptions,
  type RateLimitResult,
  rateLimit,
} from '@rl/fastify'
import {
  type FastifyContextConfig,
  type FastifyInstance,
  type FastifyPluginCallback,
  type FastifyReply,
  type FastifyRequest,
  fastify,
} from 'fastify'
import { describe, expectTypeOf, it } from 'vitest'

describe('types of the Fastify adapter', () => {
  it('the plugin registers with its options, also where the server is one of HTTP/2', async () => {
    await fastify().register(rateLimit, { limit: '5/1m', hook: 'preHandler' })
    await fastify({ http2: true }).register(rateLimit, { limit: '5/1m' })
    expectTypeOf(rateLimit).toExtend<FastifyPluginCallback<PluginOptions>>()
  })

  it('augmentation: request.rateLimit, app.rateLimit and config.rateLimit', () => {
    expectTypeOf<FastifyRequest['rateLimit']>().toEqualTypeOf<RateLimitResult | null>()
    expectTypeOf<FastifyInstance['rateLimit']>().toEqualTypeOf<(options?: RateLimitOptions) => Hook>()
    expectTypeOf<FastifyContextConfig['rateLimit']>().toEqualTypeOf<RateLimitOptions | false | undefined>()
  })

  it('a hook fits every phase without a payload, and handlers see the result', async () => {
    const app = fastify()
    await app.register(rateLimit)
    const hook = app.rateLimit({ limit: '5/1m' })
    const config = { rateLimit: { limit: '5/1m', cost: 2 } }
    app.get('/', { config, onRequest: hook, preValidation: hook, preHandler: [hook] }, (request) => {
      expectTypeOf(request.rateLimit).toEqualTypeOf<RateLimitResult | null>()
      return 'ok'
    })
    app.addHook('onRequest', hook)
    app.setNotFoundHandler({ preHandler: hook }, (_request, reply) => reply.send())
  })

  it('functions get Fastify’s request', () => {
    const options: PluginOptions = { limit: '5/1m', key: (request) => request.id }
    expectTypeOf(options).toExtend<RateLimitOptions>()
    expectTypeOf<NonNullable<RateLimitOptions['skip']>>().parameter(0).toEqualTypeOf<FastifyRequest>()
    expectTypeOf<NonNullable<RateLimitOptions['onLimited']>>().parameters.toEqualTypeOf<
      [FastifyRequest, FastifyReply, RateLimitResult]
    >()
    expectTypeOf(getRateLimit).returns.toEqualTypeOf<RateLimitResult | undefined>()
  })

  it('what would be no limit does not compile', () => {
    // An option that does not exist gets past Fastify's own types of `register`; it fails when the plugin is loaded.
    // @ts-expect-error: a number has no window
    const config = () => fastify().get('/', { config: { rateLimit: { limit: 5 } } }, () => 'ok')
    // @ts-expect-error: a hook with a payload comes too late
    const hook = () => fastify().register(rateLimit, { limit: '5/1m', hook: 'onSend' })
    expectTypeOf([config, hook]).toBeArray()
  })

  it('key functions, lists and loaded limits get it too', () => {
    const options: PluginOptions = {
      limit: cachedLimit((request) => (request.id ? '100/1m' : '5/1m'), {
        by: (request) => request.headers['x-user']?.toString(),
        ttl: '1m',
        onError: 'refuse',
      }),
      key: firstOf(
        byUser((request: FastifyRequest) => request.headers['x-user']?.toString()),
        byCookie('sid', {
          known: (_value, request: FastifyRequest) => request.headers['x-user']?.toString() !== undefined,
        }),
        byIp({ trust: { hops: 1, peers: 'private' } }),
      ),
      allow: (request) => request.headers['x-user']?.toString() === 'probe',
      deny: {
        ips: 'linklocal',
        keys: ['user:7', 7],
        when: async (request) => request.headers['x-user']?.toString() === 'x',
        status: 429,
      },
      address: byIp(),
    }
    const user: PluginOptions = {
      limit: '5/1m',
      key: byUser((request) => request.headers['x-user']?.toString()),
    }
    expectTypeOf([options, user]).toBeArray()
    // @ts-expect-error: a status that is no refusal
    const status: PluginOptions = { limit: '5/1m', deny: { status: 200 } }
    // @ts-expect-error: a failure has to be provided for
    const failure = () => cachedLimit(() => '5/1m', { by: () => 'a', ttl: '1m' })
    expectTypeOf([status, failure]).toBeArray()
  })
})
