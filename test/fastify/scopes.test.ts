import { getRateLimit, rateLimit } from '@rl/fastify'
import { fastify } from 'fastify'
import { describe, expect, it } from 'vitest'
import { limitAtNoon } from '../contract/at-noon.js'
import { send } from '../support/http-client.js'
import { statusesOf } from '../support/statuses.js'
import { ok, started } from './served.js'

describe('encapsulation', () => {
  it('B96: a limiter in a child scope leaves its siblings alone, declared before or after', async () => {
    const app = fastify()
    app.get('/before', ok)
    app.register(async (child) => {
      await child.register(rateLimit, limitAtNoon(1))
      child.get('/a', ok)
      child.get('/b', ok)
    })
    app.get('/c', ok)
    const target = await started(app)
    expect(await statusesOf(target, '/a', '/b', '/c', '/c', '/before', '/before')).toEqual([
      200, 429, 200, 200, 200, 200,
    ])
    expect((await send(target, '/c')).fields.ratelimit).toBeUndefined()
  })

  it('a limiter outside counts what is inside, however deep and whatever the prefix', async () => {
    const app = fastify()
    app.register(rateLimit, limitAtNoon(2))
    app.register(async (child) => child.register(async (deep) => deep.get('/a', ok), { prefix: '/deep' }), {
      prefix: '/v1',
    })
    expect(await statusesOf(await started(app), '/v1/deep/a', '/v1/deep/a', '/v1/deep/a')).toEqual([
      200, 200, 429,
    ])
  })

  it('registered outside and inside, both count, each once', async () => {
    const app = fastify()
    app.register(rateLimit, { ...limitAtNoon(9), name: 'outer' })
    app.register(async (child) => {
      await child.register(rateLimit, { ...limitAtNoon(5), name: 'inner' })
      child.get('/in', ok)
    })
    app.get('/out', ok)
    const target = await started(app)
    expect((await send(target, '/in')).fields.ratelimit).toBe('"outer:1m";r=8;t=60, "inner:1m";r=4;t=60')
    expect((await send(target, '/out')).fields.ratelimit).toBe('"outer:1m";r=7;t=60')
  })

  it('a route with a limit of its own, seen by both, counts it once, with what the inner one gives', async () => {
    const app = fastify()
    app.register(rateLimit, { key: () => 'outer' })
    app.register(async (child) => {
      await child.register(rateLimit, { key: () => 'inner', hook: 'preHandler' })
      child.get(
        '/',
        { config: { rateLimit: { ...limitAtNoon(5), name: 'own' } } },
        (request) => getRateLimit(request)?.key,
      )
    })
    const answer = await send(await started(app), '/')
    expect([answer.body, answer.fields.ratelimit]).toEqual(['inner', '"own:1m";r=4;t=60'])
  })

  it('app.rateLimit() is that of the scope', async () => {
    const app = fastify()
    await app.register(rateLimit, { key: () => 'outer' })
    app.register(async (child) => {
      await child.register(rateLimit, { key: () => 'inner' })
      child.get('/in', { preHandler: child.rateLimit(limitAtNoon(5)) }, (request) => request.rateLimit?.key)
    })
    app.get('/out', { preHandler: app.rateLimit(limitAtNoon(5)) }, (request) => request.rateLimit?.key)
    const target = await started(app)
    expect([(await send(target, '/in')).body, (await send(target, '/out')).body]).toEqual(['inner', 'outer'])
  })

  it('false on a route holds for both', async () => {
    const app = fastify()
    app.register(rateLimit, limitAtNoon(0))
    app.register(async (child) => {
      await child.register(rateLimit, { ...limitAtNoon(0), name: 'inner' })
      child.get('/', { config: { rateLimit: false } }, ok)
    })
    const answer = await send(await started(app), '/')
    expect([answer.status, answer.fields.ratelimit]).toEqual([200, undefined])
  })
})

describe('request.rateLimit', () => {
  it('is null before the limiter, and then the tightest result of this request', async () => {
    const app = fastify()
    const before: unknown[] = []
    app.addHook('onRequest', async (request) => void before.push(request.rateLimit))
    app.register(rateLimit, { ...limitAtNoon(20), name: 'app' })
    app.get('/', { config: { rateLimit: { ...limitAtNoon(5), name: 'route' } } }, (request) => {
      const { limiter, key } = request.rateLimit ?? {}
      return {
        limiter,
        key,
        app: getRateLimit(request, 'app')?.limiter,
        none: getRateLimit(request, 'none') ?? null,
      }
    })
    const target = await started(app)
    await send(target, '/')
    const { body } = await send(target, '/')
    expect(JSON.parse(body)).toEqual({ limiter: 'route', key: '127.0.0.1', app: 'app', none: null })
    expect(before).toEqual([null, null])
  })

  it('stays null where a route has no limit', async () => {
    const app = fastify()
    app
      .register(rateLimit, limitAtNoon(1))
      .get('/', { config: { rateLimit: false } }, (request) => String(request.rateLimit))
    expect((await send(await started(app), '/')).body).toBe('null')
  })
})
