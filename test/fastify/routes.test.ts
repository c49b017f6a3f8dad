import { createLimiter } from '@rl/core'
import { rateLimit } from '@rl/fastify'
import { fastify } from 'fastify'
import { describe, expect, it } from 'vitest'
import { limitAtNoon, perMinute, storeAtNoon } from '../contract/at-noon.js'
import { send } from '../support/http-client.js'
import { statusesOf } from '../support/statuses.js'
import { ok, started } from './served.js'

describe('config.rateLimit', () => {
  it('counts beside the limit for all, and shows both', async () => {
    const app = fastify()
    app.register(rateLimit, { ...limitAtNoon(3), name: 'all' })
    app.get('/login', { config: { rateLimit: { ...limitAtNoon(1), name: 'login' } } }, ok).get('/other', ok)
    const target = await started(app)
    expect((await send(target, '/login')).fields.ratelimit).toBe('"all:1m";r=2;t=60, "login:1m";r=0;t=60')
    expect(await statusesOf(target, '/login', '/other', '/other')).toEqual([429, 200, 429])
  })

  it('false: the route is not limited', async () => {
    const app = fastify()
    app
      .register(rateLimit, limitAtNoon(1))
      .get('/free', { config: { rateLimit: false } }, ok)
      .get('/', ok)
    expect(await statusesOf(await started(app), '/free', '/free', '/', '/free', '/')).toEqual([
      200, 200, 200, 200, 429,
    ])
  })

  it('may have a key and a cost of its own', async () => {
    const app = fastify()
    app.register(rateLimit, { key: () => 'all' })
    const rateLimitOfRoute = { ...limitAtNoon(10), cost: 4, key: (request: { url: string }) => request.url }
    app.get('/costly/:id', { config: { rateLimit: rateLimitOfRoute } }, (request) => request.rateLimit)
    const target = await started(app)
    expect(JSON.parse((await send(target, '/costly/1')).body)).toMatchObject({
      key: '/costly/1',
      remaining: 6,
    })
    expect(await statusesOf(target, '/costly/1', '/costly/1', '/costly/2')).toEqual([200, 429, 200])
  })

  it('takes over what the plugin says, but for limit, name and cost', async () => {
    const app = fastify()
    app.register(rateLimit, { ...limitAtNoon(20), name: 'all', cost: 2, key: () => 'k', headers: 'draft-6' })
    app.get(
      '/',
      { config: { rateLimit: { limit: perMinute(5), name: 'own' } } },
      (request) => request.rateLimit,
    )
    const { body, fields } = await send(await started(app), '/')
    expect(JSON.parse(body)).toMatchObject({ limiter: 'own', key: 'k', cost: 1, remaining: 4 })
    expect(fields).toMatchObject({ 'ratelimit-limit': '5', 'ratelimit-policy': '20;w=60, 5;w=60' })
  })

  it('may be a limiter, which brings its own store', async () => {
    const limiter = createLimiter(limitAtNoon(1))
    const app = fastify()
    app.register(rateLimit, { store: storeAtNoon(), onStoreFailure: 'closed' })
    app.get('/', { config: { rateLimit: { limiter } } }, ok)
    expect(await statusesOf(await started(app), '/', '/')).toEqual([200, 429])
  })

  it('without a name is one counter a route, although two routes share the object', async () => {
    const config = { rateLimit: { limit: perMinute(1) } }
    const app = fastify()
    await app.register(rateLimit)
    app.get('/a', { config }, ok).get('/b', { config }, ok)
    expect(await statusesOf(await started(app), '/a', '/b', '/a', '/b')).toEqual([200, 200, 429, 429])
  })
})

describe('B104: a group is a name', () => {
  it('routes with one name and limit share a counter, others have their own', async () => {
    const group = () => ({ rateLimit: { limit: perMinute(3), name: 'g' } })
    const app = fastify()
    await app.register(rateLimit)
    app.get('/p', { config: group() }, ok).get('/g', { config: group() }, ok)
    app.get('/s', { config: { rateLimit: { limit: perMinute(3) } } }, ok)
    expect(await statusesOf(await started(app), '/p', '/g', '/p', '/g', '/s')).toEqual([
      200, 200, 200, 429, 200,
    ])
  })

  it('so does a hook made by hand', async () => {
    const group = { limit: perMinute(2), name: 'g' }
    const app = fastify()
    await app.register(rateLimit)
    app
      .get('/p', { config: { rateLimit: group } }, ok)
      .get('/g', { preHandler: app.rateLimit({ ...group }) }, ok)
    expect(await statusesOf(await started(app), '/p', '/g', '/p')).toEqual([200, 200, 429])
  })

  it('one name for two limits is refused', async () => {
    const app = fastify()
    await app.register(rateLimit)
    app.get('/a', { config: { rateLimit: { limit: '3/1m', name: 'g' } } }, ok)
    const other = { config: { rateLimit: { limit: '4/1m', name: 'g' } } }
    expect(() => app.get('/b', other, ok)).toThrow('is taken on this store by a limiter with other policies')
  })
})

describe('B93: the HEAD route that Fastify adds', () => {
  it('shares the counter of GET, for the limit of all and of the route', async () => {
    const app = fastify({ exposeHeadRoutes: true })
    app.register(rateLimit, { ...limitAtNoon(120), name: 'all' })
    app.get('/', { config: { rateLimit: { ...limitAtNoon(60), name: 'own' } } }, ok)
    const target = await started(app)
    const fields = []
    for (const method of ['GET', 'GET', 'HEAD'])
      fields.push((await send(target, '/', { method })).fields.ratelimit)
    expect(fields).toEqual([
      '"all:1m";r=119;t=60, "own:1m";r=59;t=60',
      '"all:1m";r=118;t=60, "own:1m";r=58;t=60',
      '"all:1m";r=117;t=60, "own:1m";r=57;t=60',
    ])
  })

  it('so does one that the application declares, and every method of one route', async () => {
    const app = fastify()
    await app.register(rateLimit)
    const config = { rateLimit: limitAtNoon(2) }
    app.route({ method: ['GET', 'HEAD', 'POST'], url: '/', config, handler: ok })
    const target = await started(app)
    const statuses = []
    for (const method of ['GET', 'HEAD', 'POST']) statuses.push((await send(target, '/', { method })).status)
    expect(statuses).toEqual([200, 200, 429])
  })
})
