import { getRateLimit, rateLimit } from '@rl/express'
import type { Express, Request, Response } from 'express'
import request from 'supertest'
import { describe, expect, it } from 'vitest'
import { limitAtNoon, perMinute, storeAtNoon } from '../contract/at-noon.js'
import { versions } from './versions.js'

/** Statuses of one GET of each path, in order. */
async function statuses(app: Express, ...paths: readonly string[]): Promise<number[]> {
  const all = []
  for (const path of paths) all.push((await request(app).get(path)).status)
  return all
}

const ok = (_req: Request, res: Response) => {
  res.send('ok')
}

describe.each(versions)('%s: where a limiter stands', (_, express) => {
  it('app-wide, everything counts, also what Express answers itself', async () => {
    const app = express()
    app.use(rateLimit(limitAtNoon(3)))
    app.get('/a', ok).get('/b', ok)
    expect(await statuses(app, '/a', '/b', '/missing', '/a')).toEqual([200, 200, 404, 429])
  })

  it('requests that share their locals count each, and know nothing of each other', async () => {
    const app = express()
    app.use((_req, res, next) => {
      res.locals = app.locals
      next()
    })
    app.use(rateLimit({ ...limitAtNoon(2), key: (req: Request) => req.path }))
    app.get('/a', ok).get('/b', (req, res) => {
      res.send(getRateLimit(req)?.key)
    })
    expect(await statuses(app, '/a', '/a', '/a')).toEqual([200, 200, 429])
    const { text, headers } = await request(app).get('/b')
    expect([text, headers.ratelimit]).toEqual(['/b', '"1m";r=1;t=60'])
  })

  it('on a router, what is outside of it is free', async () => {
    const app = express()
    const api = express.Router()
    api.use(rateLimit(limitAtNoon(2)))
    api.get('/a', ok).get('/b', ok)
    app.use('/api', api).get('/free', ok)
    expect(await statuses(app, '/api/a', '/api/b', '/api/missing', '/free')).toEqual([200, 200, 429, 200])
  })

  it('on a path, everything below it counts', async () => {
    const app = express()
    app.use('/api', rateLimit(limitAtNoon(2)))
    app.get('/api/a', ok).get('/free', ok)
    expect(await statuses(app, '/api/a', '/API/a', '/api/a', '/free')).toEqual([200, 200, 429, 200])
  })

  it('on a route, only that route counts', async () => {
    const app = express()
    app.get('/login', rateLimit(limitAtNoon(1)), ok).get('/other', ok)
    expect(await statuses(app, '/login', '/other', '/login', '/other')).toEqual([200, 200, 429, 200])
  })

  it('several on one path count apart, and the tighter one refuses', async () => {
    const [minute, day] = [
      rateLimit({ ...limitAtNoon(2), name: 'minute' }),
      rateLimit({ limit: { day: perMinute(5) }, store: storeAtNoon(), name: 'day' }),
    ]
    const app = express()
    app.get('/', minute, day, ok)
    expect(await statuses(app, '/', '/', '/')).toEqual([200, 200, 429])
    expect(day.limiter.peek('127.0.0.1')).toMatchObject({ used: 2 })
  })

  it('in an application below another, and in nested routers', async () => {
    const [outer, inner] = [express(), express()]
    inner.use(rateLimit(limitAtNoon(1))).get('/a', ok)
    outer.use('/v1', express.Router().use('/deep', inner))
    expect(await statuses(outer, '/v1/deep/a', '/v1/deep/a')).toEqual([200, 429])
  })
})

describe.each(versions)('%s: one bucket a route', (_, express) => {
  it('row 52: /login, /Login and /login/ are one route of Express', async () => {
    const app = express()
    app.get('/login', rateLimit(limitAtNoon(2)), ok)
    expect(await statuses(app, '/login', '/Login', '/login/')).toEqual([200, 200, 429])
  })

  it.each([
    ['//login', 404],
    ['/login;a=b', 404],
    ['/login%00', 404],
    ['/login%2f', 404],
    ['/login%', 404],
    ['/users/%', 400],
    ['/login?x=1', 200],
  ])('row 57: %s is %i, by the router', async (path, status) => {
    const app = express()
    app.get('/login', rateLimit(limitAtNoon(2)), ok).get('/users/:id', ok)
    expect(await statuses(app, path)).toEqual([status])
  })

  it('row 60: Express answers OPTIONS of a route itself, so the route limiter does not count it', async () => {
    const limiter = rateLimit(limitAtNoon(1))
    const app = express()
    app.get('/login', limiter, ok)
    const { status, headers } = await request(app).options('/login')
    expect([status, headers.allow]).toEqual([200, expect.stringMatching(/^GET, ?HEAD$/)])
    expect(limiter.limiter.peek('127.0.0.1')).toMatchObject({ used: 0 })
  })

  it('row 65: what a body says does not change whom a request counts for', async () => {
    const app = express()
    app.use(express.json()).post('/login', rateLimit(limitAtNoon(2)), ok)
    const all = []
    for (const email of ['a@example.org', 'b@example.org', 'c@example.org'])
      all.push((await request(app).post('/login').send({ email })).status)
    expect(all).toEqual([200, 200, 429])
  })
})

describe.each(versions)('%s: the result', (_, express) => {
  it('is on res.locals.rateLimit: the tightest of all limiters so far', async () => {
    const app = express()
    app.use(rateLimit({ ...limitAtNoon(20), name: 'app' }))
    app.get('/', rateLimit({ ...limitAtNoon(5), name: 'route' }), (_req, res) => {
      const { limiter, limit, remaining, key } = res.locals.rateLimit
      res.json({ limiter, limit, remaining, key })
    })
    const { body } = await request(app).get('/')
    expect(body).toEqual({ limiter: 'route', limit: 5, remaining: 4, key: '127.0.0.1' })
  })

  it('comes from getRateLimit(req), and with a name that of one limiter', async () => {
    const app = express()
    app.use(rateLimit({ ...limitAtNoon(20), name: 'app' }), rateLimit({ ...limitAtNoon(5), name: 'route' }))
    app.get('/', (req, res) => {
      const names = [undefined, 'app', 'route', 'none']
      res.json(names.map((name) => getRateLimit(req, name)?.limiter ?? null))
    })
    const { body } = await request(app).get('/')
    expect(body).toEqual(['route', 'app', 'route', null])
  })
})
