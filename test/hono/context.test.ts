import { getConnInfo } from '@hono/node-server/conninfo'
import { byIp, type GetConnInfo, getRateLimit, rateLimit } from '@rl/hono'
import { Hono } from 'hono'
import { getConnInfo as onWorkers } from 'hono/cloudflare-workers'
import { describe, expect, it, vi } from 'vitest'
import { limitAtNoon } from '../contract/at-noon.js'
import { send } from '../support/http-client.js'
import { onNode, started } from './served.js'

describe('the result', () => {
  it('is c.var.rateLimit: the tightest of all limiters so far', async () => {
    const app = new Hono()
    app.use(rateLimit({ ...onNode(20), name: 'app' }))
    app.get('/', rateLimit({ ...onNode(5), name: 'route' }), (c) => {
      const { limiter, key } = c.var.rateLimit
      return c.json({ limiter, key })
    })
    const { body } = await send(await started(app), '/')
    expect(JSON.parse(body)).toEqual({ limiter: 'route', key: '127.0.0.1' })
  })

  it('comes from getRateLimit(c), and with a name that of one limiter', async () => {
    const app = new Hono()
    app.use(rateLimit({ ...onNode(20), name: 'app' }), rateLimit({ ...onNode(5), name: 'route' }))
    app.get('/', (c) =>
      c.json([undefined, 'app', 'route', 'none'].map((name) => getRateLimit(c, name)?.limiter ?? null)),
    )
    const { body } = await send(await started(app), '/')
    expect(JSON.parse(body)).toEqual(['route', 'app', 'route', null])
  })

  it('.limiter resets a key after a login that worked', async () => {
    const login = rateLimit({ ...limitAtNoon(2), key: (c) => c.req.query('user') })
    const app = new Hono().get('/login', login, async (c) => {
      const works = c.req.query('password') === 'right'
      if (works) await login.limiter.reset('ann')
      return c.text('', works ? 200 : 401)
    })
    const target = await started(app)
    const statuses = []
    for (const password of ['wrong', 'right', 'wrong', 'wrong', 'right'])
      statuses.push((await send(target, `/login?user=ann&password=${password}`)).status)
    expect(statuses).toEqual([401, 200, 401, 401, 429])
  })
})

describe('who is at the other end', () => {
  it('has to be told: without getConnInfo and key nothing is made, and the error names the imports', () => {
    expect(() => rateLimit({ limit: '1/1m' })).toThrow(
      /^rateLimit: Hono does not know who is at the other end, so pass getConnInfo .*'@hono\/node-server\/conninfo', 'hono\/bun', 'hono\/deno', 'hono\/cloudflare-workers'/,
    )
    expect(() => rateLimit({ limit: '1/1m', key: () => 'all' })).not.toThrow()
    expect(() => rateLimit({ limit: '1/1m', getConnInfo })).not.toThrow()
  })

  it('getConnInfo is a function', () => {
    const wrong = { remote: { address: '1.2.3.4' } } as unknown as GetConnInfo
    expect(() => rateLimit({ limit: '1/1m', getConnInfo: wrong })).toThrow('getConnInfo: takes a function')
  })

  it.each<[string, GetConnInfo]>([
    [
      'throws',
      () => {
        throw new TypeError('no bindings')
      },
    ],
    ['gives nothing', (() => undefined) as unknown as GetConnInfo],
    ['gives no remote', (() => ({})) as unknown as GetConnInfo],
    ['gives no address', () => ({ remote: {} })],
    ['gives a path', () => ({ remote: { address: '/run/app.sock' } })],
  ])('row 32: a getConnInfo that %s: all share one limit, with one warning', async (_, unknowing) => {
    const logger = { warn: vi.fn(), error: vi.fn() }
    const keys: unknown[] = []
    const app = new Hono().use(rateLimit({ ...limitAtNoon(2), getConnInfo: unknowing, logger }))
    app.get('/', (c) => {
      keys.push(c.var.rateLimit.key)
      return c.text('ok')
    })
    const statuses = []
    for (const _call of [1, 2, 3]) statuses.push((await app.fetch(new Request('http://a/'))).status)
    expect([statuses, keys]).toEqual([
      [200, 200, 429],
      ['no-address', 'no-address'],
    ])
    expect(logger.warn.mock.calls).toEqual([[expect.stringContaining('a connection has no address')]])
  })

  it('Node’s own getConnInfo throws in app.request(), and the limiter works all the same', async () => {
    const logger = { warn: () => {}, error: () => {} }
    const app = new Hono().use(rateLimit({ ...onNode(1), logger })).get('/', (c) => c.text('ok'))
    const statuses = [(await app.request('/')).status, (await app.request('/')).status]
    expect(statuses).toEqual([200, 429])
  })

  it('on Workers it is what cf-connecting-ip says, which needs no warning', async () => {
    const logger = { warn: vi.fn(), error: vi.fn() }
    const app = new Hono().use(rateLimit({ ...limitAtNoon(5), getConnInfo: onWorkers, logger }))
    app.get('/', (c) => c.text(String(c.var.rateLimit.key)))
    const headers = { 'cf-connecting-ip': '2001:db8::1', 'x-real-ip': '2001:db8::1' }
    const response = await app.fetch(new Request('http://a/', { headers }))
    expect(await response.text()).toBe('2001:db8::/56')
    expect(logger.warn).not.toHaveBeenCalled()
  })

  it('B06: behind a proxy it is the header that trust believes, in any spelling', async () => {
    const proxied: GetConnInfo = () => ({ remote: { address: '10.0.0.2' } })
    const app = new Hono().use(
      rateLimit({ ...limitAtNoon(1), getConnInfo: proxied, key: byIp({ trust: '10.0.0.0/8' }) }),
    )
    app.get('/', (c) => c.text(String(c.var.rateLimit.key)))
    const ask = (name: string, client: string) =>
      app.fetch(new Request('http://a/', { headers: { [name]: ` ${client} ,10.0.0.9` } }))
    const [first, second] = [
      await ask('X-FORWARDED-FOR', '203.0.113.5'),
      await ask('x-forwarded-for', '203.0.113.6'),
    ]
    expect([await first.text(), await second.text()]).toEqual(['203.0.113.5', '203.0.113.6'])
  })
})

it('a result is remembered for a request, not for the Request object: fetched again, it counts again', async () => {
  const limiter = rateLimit({ ...limitAtNoon(5), key: () => 'k' })
  const app = new Hono().use(limiter).get('/', (c) => c.text('ok'))
  const request = new Request('http://a/')
  await app.fetch(request)
  await app.fetch(request)
  expect(limiter.limiter.peek('k')).toMatchObject({ used: 2 })
})
