import Router from '@koa/router'
import { byIp, byRoute, compose, getRateLimit, rateLimit } from '@rl/koa'
import Koa, { type Middleware } from 'koa'
import { describe, expect, it } from 'vitest'
import { limitAtNoon } from '../contract/at-noon.js'
import { send } from '../support/http-client.js'
import { statusesOf } from '../support/statuses.js'
import { started, versions } from './versions.js'

const ok: Middleware = (ctx) => {
  ctx.body = 'ok'
}

/** Typed for another version of Koa than the router's own types. */
const routes = (router: Router) => router.routes() as Middleware

describe.each(versions)('%s with @koa/router', (_, Framework) => {
  it('a limiter on a route counts that route alone', async () => {
    const router = new Router()
    router.get('/login', rateLimit(limitAtNoon(1)), ok).get('/other', ok)
    const target = await started(new Framework().use(routes(router)))
    expect(await statusesOf(target, '/login', '/other', '/login', '/other')).toEqual([200, 200, 429, 200])
  })

  it('a limiter of a router counts its routes, and nothing beside them', async () => {
    const router = new Router({ prefix: '/api' })
    router.use(rateLimit(limitAtNoon(2)))
    router.get('/a', ok).get('/b', ok)
    const target = await started(new Framework().use(routes(router)).use(ok))
    expect(await statusesOf(target, '/api/a', '/free', '/api/b', '/api/a', '/free')).toEqual([
      200, 200, 200, 429, 200,
    ])
  })

  it('row 63: byRoute() is the template with the prefix, so /users/1 and /users/2 share a bucket', async () => {
    const keys: unknown[] = []
    const router = new Router({ prefix: '/api' })
    const key = compose(byRoute(), byIp())
    router.get('/users/:id', rateLimit({ ...limitAtNoon(2), key }), (ctx) => {
      keys.push(getRateLimit(ctx)?.key)
      ctx.body = 'ok'
    })
    const target = await started(new Framework().use(routes(router)))
    expect(await statusesOf(target, '/api/users/1', '/api/users/2', '/api/users/3')).toEqual([200, 200, 429])
    expect(keys).toEqual(['/api/users/:id|127.0.0.1', '/api/users/:id|127.0.0.1'])
  })

  it('byRoute() outside a router is an error, not a bucket of its own', async () => {
    const app = new Framework()
    const codes: unknown[] = []
    app.on('error', ({ code }) => codes.push(code))
    app.use(rateLimit({ ...limitAtNoon(2), key: byRoute() }))
    expect((await send(await started(app), '/')).status).toBe(500)
    expect(codes).toEqual(['RL_KEY'])
  })
})

describe.each(versions)('%s: the result', (_, Framework) => {
  it('is on ctx.state.rateLimit: the tightest of all limiters so far', async () => {
    const app = new Framework()
    app
      .use(rateLimit({ ...limitAtNoon(20), name: 'app' }))
      .use(rateLimit({ ...limitAtNoon(5), name: 'route' }))
    app.use((ctx) => {
      const { limiter, limit, remaining, key } = ctx.state.rateLimit
      ctx.body = { limiter, limit, remaining, key }
    })
    const { body } = await send(await started(app), '/')
    expect(JSON.parse(body)).toEqual({ limiter: 'route', limit: 5, remaining: 4, key: '127.0.0.1' })
  })

  it('comes from getRateLimit(ctx), and with a name that of one limiter', async () => {
    const app = new Framework()
    app
      .use(rateLimit({ ...limitAtNoon(20), name: 'app' }))
      .use(rateLimit({ ...limitAtNoon(5), name: 'route' }))
    app.use((ctx) => {
      ctx.body = [undefined, 'app', 'route', 'none'].map((name) => getRateLimit(ctx, name)?.limiter ?? null)
    })
    const { body } = await send(await started(app), '/')
    expect(JSON.parse(body)).toEqual(['route', 'app', 'route', null])
  })

  it('is not there when the limiter is off', async () => {
    const app = new Framework()
    app.use(rateLimit({ ...limitAtNoon(1), enabled: false }))
    app.use((ctx) => {
      ctx.body = String('rateLimit' in ctx.state)
    })
    expect((await send(await started(app), '/')).body).toBe('false')
  })
})

describe.each(versions)('%s: whom a request counts for', (_, Framework) => {
  it('is the socket, although app.proxy believes what a client writes', async () => {
    const app = new Framework()
    app.proxy = true
    app.use(rateLimit({ ...limitAtNoon(2), logger: { warn: () => {}, error: () => {} } })).use(ok)
    const target = await started(app)
    const all = []
    for (const forged of ['6.6.6.1', '6.6.6.2', ',', '6.6.6.3'])
      all.push((await send(target, '/', { headers: { 'x-forwarded-for': forged } })).status)
    expect(all).toEqual([200, 200, 429, 429])
  })

  it('ctx.ip and ctx.ips are not read', async () => {
    const app = new Framework()
    for (const name of ['ip', 'ips'])
      Object.defineProperty(app.request, name, {
        get: () => {
          throw new Error(`${name} was read`)
        },
      })
    app.use(rateLimit(limitAtNoon(2))).use(ok)
    expect((await send(await started(app), '/')).status).toBe(200)
  })
})

it('.limiter resets a key after a login that worked', async () => {
  const login = rateLimit({ ...limitAtNoon(2), key: (ctx) => String(ctx.query.user) })
  const app = new Koa()
  app.use(login).use(async (ctx) => {
    const works = ctx.query.password === 'right'
    if (works) await login.limiter.reset(String(ctx.query.user))
    ctx.status = works ? 200 : 401
  })
  const passwords = ['wrong', 'right', 'wrong', 'wrong', 'right']
  const paths = passwords.map((password) => `/login?user=ann&password=${password}`)
  expect(await statusesOf(await started(app), ...paths)).toEqual([401, 200, 401, 401, 429])
})
