import { byHeader, compose, firstOf, getRateLimit, rateLimit } from '@rl/express'
import express, { type ErrorRequestHandler } from 'express'
import { type Request as AuthenticatedRequest, expressjwt } from 'express-jwt'
import jsonwebtoken from 'jsonwebtoken'
import request from 'supertest'
import { describe, expect, it } from 'vitest'
import { limitAtNoon } from '../contract/at-noon.js'

const SECRET = 'only-for-this-test'
const tokenOf = (sub: string) => jsonwebtoken.sign({ sub }, SECRET)

/** A cheap limit by address before the token is looked at, one by user after. */
function protectedApp(limits: { readonly byAddress: number; readonly byUser: number }) {
  const address = rateLimit({ ...limitAtNoon(limits.byAddress), name: 'address' })
  const user = rateLimit<AuthenticatedRequest>({
    ...limitAtNoon(limits.byUser),
    name: 'user',
    key: (req) => req.auth?.sub,
  })
  const app = express()
  app.use(address, expressjwt({ secret: SECRET, algorithms: ['HS256'] }), user)
  app.get('/', (req, res) => {
    res.json({ user: getRateLimit(req, 'user')?.key, address: getRateLimit(req, 'address')?.key })
  })
  app.use(((error, _req, res, _next) =>
    res.status(error.status).send(error.code)) satisfies ErrorRequestHandler)
  const get = (token?: string) => {
    const asked = request(app).get('/')
    return token === undefined ? asked : asked.set('Authorization', `Bearer ${token}`)
  }
  return { get, address, user }
}

describe('a limiter after a real authentication (express-jwt)', () => {
  it('B101: users have a limit each behind one address', async () => {
    const { get } = protectedApp({ byAddress: 100, byUser: 1 })
    const statuses = []
    for (const sub of ['u1', 'u2', 'u1', 'u2']) statuses.push((await get(tokenOf(sub))).status)
    expect(statuses).toEqual([200, 200, 429, 429])
  })

  it('knows the user, and the limiter before it the address', async () => {
    const { get } = protectedApp({ byAddress: 100, byUser: 5 })
    const { body, headers } = await get(tokenOf('u1'))
    expect(body).toEqual({ user: 'u1', address: '127.0.0.1' })
    expect(headers.ratelimit).toBe('"address:1m";r=99;t=60, "user:1m";r=4;t=60')
  })

  it('tokens that are refused count by address, so guessing ends in 429', async () => {
    const { get } = protectedApp({ byAddress: 3, byUser: 100 })
    const statuses = []
    for (const token of [
      'guess',
      undefined,
      jsonwebtoken.sign({ sub: 'u1' }, 'other'),
      'guess',
      tokenOf('u1'),
    ])
      statuses.push((await get(token)).status)
    expect(statuses).toEqual([401, 401, 401, 429, 429])
  })

  it('a 401 has the fields of the limiter before it, and uses nothing of the user', async () => {
    const { get, user } = protectedApp({ byAddress: 3, byUser: 5 })
    const { status, text, headers } = await get('guess')
    expect([status, text, headers.ratelimit]).toEqual([401, 'invalid_token', '"address:1m";r=2;t=60'])
    expect(user.limiter.peek('u1')).toMatchObject({ used: 0 })
  })

  it('a user over the limit is not asked of by another address either', async () => {
    const { get, user } = protectedApp({ byAddress: 100, byUser: 1 })
    await get(tokenOf('u1'))
    const { status, body } = await get(tokenOf('u1'))
    expect([status, body['violated-policies']]).toEqual([429, ['user:1m']])
    expect(user.limiter.peek('u1')).toMatchObject({ remaining: 0 })
  })
})

describe('.limiter', () => {
  it('resets a key after a login that worked', async () => {
    const login = rateLimit({ ...limitAtNoon(2), key: (req) => String(req.query.user) })
    const app = express()
    app.post('/login', login, async (req, res) => {
      const works = req.query.password === 'right'
      if (works) await login.limiter.reset(String(req.query.user))
      res.sendStatus(works ? 200 : 401)
    })
    const statuses = []
    for (const password of ['wrong', 'right', 'wrong', 'wrong', 'right'])
      statuses.push((await request(app).post(`/login?user=ann&password=${password}`)).status)
    expect(statuses).toEqual([401, 200, 401, 401, 429])
  })
})

describe('keys of several parts', () => {
  it('row 37: user a:b on scope c is not user a on scope b:c', async () => {
    const key = compose(byHeader('x-user'), byHeader('x-scope'))
    const app = express()
    app.use(rateLimit({ ...limitAtNoon(1), key })).get('/', (_req, res) => {
      res.send('ok')
    })
    const statuses = []
    for (const [user, scope] of [
      ['a:b', 'c'],
      ['a', 'b:c'],
      ['a:b', 'c'],
    ] as const)
      statuses.push((await request(app).get('/').set({ 'x-user': user, 'x-scope': scope })).status)
    expect(statuses).toEqual([200, 200, 429])
  })

  it('row 34: who has no key is an error, unless there is one for them', async () => {
    const app = express()
    app.get('/strict', rateLimit({ ...limitAtNoon(1), key: byHeader('x-user') }))
    app.get('/lenient', rateLimit({ ...limitAtNoon(1), key: firstOf(byHeader('x-user'), () => 'anonymous') }))
    app.use(((error, _req, res, _next) => res.status(500).send(error.code)) satisfies ErrorRequestHandler)
    const [strict, lenient] = [await request(app).get('/strict'), await request(app).get('/lenient')]
    expect([strict.status, strict.text]).toEqual([500, 'RL_KEY'])
    expect([lenient.status, lenient.headers.ratelimit]).toEqual([404, '"1m";r=0;t=60'])
  })
})
