import byDefault, { type PluginOptions, type RateLimitOptions, rateLimit } from '@rl/fastify'
import { fastify } from 'fastify'
import { describe, expect, it } from 'vitest'
import { limitAtNoon, storeAtNoon } from '../contract/at-noon.js'
import { send } from '../support/http-client.js'
import { statusesOf } from '../support/statuses.js'
import { ok, started } from './served.js'

describe('the plugin', () => {
  it('is what fastify-plugin makes: named, for Fastify 5, and the default export too', () => {
    expect(byDefault).toBe(rateLimit)
    expect((rateLimit as unknown as Record<symbol, unknown>)[Symbol.for('plugin-meta')]).toEqual({
      name: '@rl/fastify',
      fastify: '5.x',
    })
  })

  it.each([
    ['awaited', true],
    ['not awaited', false],
  ])('limits the routes that follow when it is %s', async (_, awaited) => {
    const app = fastify()
    const registered = app.register(rateLimit, limitAtNoon(2))
    if (awaited) await registered
    app.get('/a', ok)
    app.get('/b', { config: { rateLimit: { ...limitAtNoon(1), name: 'b' } } }, ok)
    expect(await statusesOf(await started(app), '/b', '/b', '/a')).toEqual([200, 429, 429])
  })

  it('limits the routes of its scope that came before, too', async () => {
    const app = fastify()
    app.get('/a', ok)
    app.get('/b', { config: { rateLimit: limitAtNoon(1) } }, ok)
    await app.register(rateLimit, limitAtNoon(3))
    expect(await statusesOf(await started(app), '/b', '/b', '/a', '/a')).toEqual([200, 429, 200, 429])
  })

  it('may be registered twice: both limits count', async () => {
    const app = fastify()
    app
      .register(rateLimit, { ...limitAtNoon(2), name: 'minute' })
      .register(rateLimit, { ...limitAtNoon(5), name: 'day' })
    app.get('/', ok)
    const answer = await send(await started(app), '/')
    expect(answer.fields.ratelimit).toBe('"minute:1m";r=1;t=60, "day:1m";r=4;t=60')
  })

  it('without options limits nothing but the routes that say so', async () => {
    const app = fastify()
    await app.register(rateLimit)
    app.get('/free', ok)
    app.get('/limited', { config: { rateLimit: limitAtNoon(1) } }, ok)
    expect(await statusesOf(await started(app), '/free', '/free', '/limited', '/limited')).toEqual([
      200, 200, 200, 429,
    ])
  })
})

describe('options that can’t be meant', () => {
  it.each<[string, object, string | RegExp]>([
    ['a limit that is none', { limit: 'often' }, /^limit: /],
    ['a limit that is undefined, as from an environment', { limit: undefined }, /^limit: /],
    ['another name for it', { max: 5 }, 'there is no option "max". Use limit: "100/1m"'],
    ['a misspelling, without a limit', { onLimitd: () => {} }, 'Did you mean "onLimited"?'],
    [
      'a hook that comes too late',
      { limit: '1/1m', hook: 'onSend' },
      'hook: is one of onRequest, preValidation, preHandler',
    ],
    ['a throw that is neither true nor false', { limit: '1/1m', throw: 1 }, 'throw: takes true or false'],
    [
      'a prefix, which the plugin has none of',
      { limit: '1/1m', prefix: '/api' },
      'there is no option "prefix"',
    ],
  ])('%s: registering fails at once, and says why', async (_, options, message) => {
    await expect(fastify().register(rateLimit, options as PluginOptions)).rejects.toThrow(message)
  })

  it.each<[string, unknown, string | RegExp]>([
    ['a limit that is none', { limit: 'often' }, /^limit: /],
    ['no limit at all', {}, /^limit: /],
    ['a misspelling', { limit: '1/1m', keys: () => 'a' }, 'Did you mean "key"?'],
    ['a hook of its own', { limit: '1/1m', hook: 'preHandler' }, 'there is no option "hook"'],
    ['true', true, 'takes an object of options; got true'],
    ['null', null, 'takes an object of options; got null'],
    ['a number', 5, 'takes an object of options; got 5'],
  ])('in the config of a route, %s: declaring it throws', async (_, own, message) => {
    const app = fastify()
    await app.register(rateLimit)
    const config = { rateLimit: own as RateLimitOptions }
    expect(() => app.get('/', { config }, ok)).toThrow(message)
  })

  it('in the config of a route that is older than the plugin: its requests fail, and none goes free', async () => {
    const app = fastify()
    app.get('/', { config: { rateLimit: { limit: 'often' } as unknown as RateLimitOptions } }, ok)
    await app.register(rateLimit)
    expect(await statusesOf(await started(app), '/', '/')).toEqual([500, 500])
  })

  it('two limits without a name on the store of the plugin: the second has to be given one', async () => {
    const app = fastify()
    await app.register(rateLimit, { limit: '9/1m', store: storeAtNoon() })
    expect(() => app.get('/', { config: { rateLimit: { limit: '1/1m' } } }, ok)).toThrow('Give each limiter')
    expect(() => app.get('/', { config: { rateLimit: { limit: '1/1m', name: 'own' } } }, ok)).not.toThrow()
  })
})

describe('B95: what no route knows', () => {
  it('is limited by a limit for all, with the fields', async () => {
    const app = fastify()
    app.register(rateLimit, limitAtNoon(2))
    const target = await started(app)
    expect(await statusesOf(target, '/a', '/b', '/c')).toEqual([404, 404, 429])
    expect((await send(target, '/d')).fields.ratelimit).toBe('"1m";r=0;t=60')
  })

  it('also with a handler of the application for it', async () => {
    const app = fastify()
    app
      .register(rateLimit, limitAtNoon(1))
      .setNotFoundHandler((_request, reply) => reply.code(404).send('none'))
    expect(await statusesOf(await started(app), '/a', '/b')).toEqual([404, 429])
  })

  it('without one it takes a line: setNotFoundHandler({ preHandler: app.rateLimit({ … }) }, …)', async () => {
    const app = fastify()
    await app.register(rateLimit)
    app.setNotFoundHandler({ preHandler: app.rateLimit(limitAtNoon(1)) }, (_request, reply) =>
      reply.code(404).send('none'),
    )
    app.get('/free', ok)
    expect(await statusesOf(await started(app), '/a', '/b', '/free')).toEqual([404, 429, 200])
  })
})
