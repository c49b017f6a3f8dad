import { getRateLimit, rateLimit } from '@rl/hono'
import { Hono } from 'hono'
import { type JwtVariables, jwt, sign } from 'hono/jwt'
import { describe, expect, it } from 'vitest'
import { send } from '../support/http-client.js'
import { onNode, started } from './served.js'

const SECRET = 'only-for-this-test'
const tokenOf = (sub: string) => sign({ sub }, SECRET, 'HS256')

/** A cheap limit by address before the token is looked at, one by user after. */
async function protectedApp(limits: { readonly byAddress: number; readonly byUser: number }) {
  const address = rateLimit({ ...onNode(limits.byAddress), name: 'address' })
  const user = rateLimit({
    ...onNode(limits.byUser),
    name: 'user',
    key: (c) => (c.get('jwtPayload') as { sub: string }).sub,
  })
  const app = new Hono<{ Variables: JwtVariables }>()
  app.use(address, jwt({ secret: SECRET, alg: 'HS256' }), user)
  app.get('/', (c) =>
    c.json({ user: getRateLimit(c, 'user')?.key, address: getRateLimit(c, 'address')?.key }),
  )
  const target = await started(app)
  const get = (token?: string) =>
    send(target, '/', token === undefined ? {} : { headers: { authorization: `Bearer ${token}` } })
  return { get, user }
}

describe('a limiter after a real authentication (hono/jwt)', () => {
  it('B101: users have a limit each behind one address', async () => {
    const { get } = await protectedApp({ byAddress: 100, byUser: 1 })
    const statuses = []
    for (const sub of ['u1', 'u2', 'u1', 'u2']) statuses.push((await get(await tokenOf(sub))).status)
    expect(statuses).toEqual([200, 200, 429, 429])
  })

  it('knows the user, and the limiter before it the address', async () => {
    const { get } = await protectedApp({ byAddress: 100, byUser: 5 })
    const { body, fields } = await get(await tokenOf('u1'))
    expect(JSON.parse(body)).toEqual({ user: 'u1', address: '127.0.0.1' })
    expect(fields.ratelimit).toBe('"address:1m";r=99;t=60, "user:1m";r=4;t=60')
  })

  it('tokens that are refused count by address, so guessing ends in 429', async () => {
    const { get } = await protectedApp({ byAddress: 3, byUser: 100 })
    const forged = await sign({ sub: 'u1' }, 'other', 'HS256')
    const statuses = []
    for (const token of ['guess', undefined, forged, 'guess', await tokenOf('u1')])
      statuses.push((await get(token)).status)
    expect(statuses).toEqual([401, 401, 401, 429, 429])
  })

  it('a 401 has the fields of the limiter before it, and uses nothing of the user', async () => {
    const { get, user } = await protectedApp({ byAddress: 3, byUser: 5 })
    const { status, fields } = await get('guess')
    expect([status, fields.ratelimit]).toEqual([401, '"address:1m";r=2;t=60'])
    expect(user.limiter.peek('u1')).toMatchObject({ used: 0 })
  })
})
