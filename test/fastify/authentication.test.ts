import jwt from '@fastify/jwt'
import { getRateLimit, rateLimit } from '@rl/fastify'
import { fastify } from 'fastify'
import jsonwebtoken from 'jsonwebtoken'
import { describe, expect, it } from 'vitest'
import { limitAtNoon, perMinute, storeAtNoon } from '../contract/at-noon.js'
import { send } from '../support/http-client.js'
import { started } from './served.js'

const SECRET = 'only-for-this-test'
const tokenOf = (sub: string) => jsonwebtoken.sign({ sub }, SECRET)

/** A cheap limit by address before the token is looked at, one by user after. */
async function protectedApp(limits: { readonly byAddress: number; readonly byUser: number }) {
  const app = fastify()
  app.register(jwt, { secret: SECRET })
  app.register(rateLimit, { ...limitAtNoon(limits.byAddress), name: 'address' })
  app.register(async (members) => {
    members.addHook('onRequest', (request) => request.jwtVerify())
    await members.register(rateLimit, {
      limit: perMinute(limits.byUser),
      store: storeAtNoon(),
      name: 'user',
      key: (request) => (request.user as { sub: string }).sub,
    })
    members.get('/', (request) => ({
      user: getRateLimit(request, 'user')?.key,
      address: getRateLimit(request, 'address')?.key,
    }))
  })
  const target = await started(app)
  return (token?: string) =>
    send(target, '/', token === undefined ? {} : { headers: { authorization: `Bearer ${token}` } })
}

describe('a limiter after a real authentication (@fastify/jwt)', () => {
  it('B101: users have a limit each behind one address', async () => {
    const get = await protectedApp({ byAddress: 100, byUser: 1 })
    const statuses = []
    for (const sub of ['u1', 'u2', 'u1', 'u2']) statuses.push((await get(tokenOf(sub))).status)
    expect(statuses).toEqual([200, 200, 429, 429])
  })

  it('knows the user, and the limiter before it the address', async () => {
    const get = await protectedApp({ byAddress: 100, byUser: 5 })
    const { body, fields } = await get(tokenOf('u1'))
    expect(JSON.parse(body)).toEqual({ user: 'u1', address: '127.0.0.1' })
    expect(fields.ratelimit).toBe('"address:1m";r=99;t=60, "user:1m";r=4;t=60')
  })

  it('tokens that are refused count by address, so guessing ends in 429', async () => {
    const get = await protectedApp({ byAddress: 3, byUser: 100 })
    const forged = jsonwebtoken.sign({ sub: 'u1' }, 'other')
    const statuses = []
    for (const token of ['guess', undefined, forged, 'guess', tokenOf('u1')])
      statuses.push((await get(token)).status)
    expect(statuses).toEqual([401, 401, 401, 429, 429])
  })

  it('a 401 has the fields of the limiter before it, and uses nothing of the user', async () => {
    const get = await protectedApp({ byAddress: 9, byUser: 5 })
    const { status, fields } = await get('guess')
    expect([status, fields.ratelimit]).toEqual([401, '"address:1m";r=8;t=60'])
    expect((await get(tokenOf('u1'))).fields.ratelimit).toBe('"address:1m";r=7;t=60, "user:1m";r=4;t=60')
  })
})
