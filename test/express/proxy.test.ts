import { createServer, request as httpRequest } from 'node:http'
import { byIp, ipKey, rateLimit } from '@rl/express'
import express, { type Express } from 'express'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { limitAtNoon } from '../contract/at-noon.js'
import { listen } from '../contract/listen.js'
import { send, type Target } from '../support/http-client.js'

async function started(app: Express): Promise<Target> {
  const { target, close } = await listen(createServer(app))
  onTestFinished(close)
  return target
}

/**
 * A reverse proxy before an application: appends the address it sees to X-Forwarded-For, and drops the header where a
 * client names it in Connection, as hop-by-hop fields are.
 */
async function behindProxy(app: Express): Promise<Target> {
  const upstream = await started(app)
  const proxy = createServer((req, res) => {
    const { connection = '', 'x-forwarded-for': before, ...headers } = req.headers
    const seen = [before, req.socket.remoteAddress].filter(Boolean).join(', ')
    const forwarded = /x-forwarded-for/i.test(connection) ? {} : { 'x-forwarded-for': seen }
    const passed = httpRequest(
      { ...upstream, path: req.url, headers: { ...headers, ...forwarded } },
      (answer) => {
        res.writeHead(answer.statusCode ?? 502, answer.headers)
        answer.pipe(res)
      },
    )
    req.pipe(passed)
  })
  const { target, close } = await listen(proxy)
  onTestFinished(close)
  return target
}

/** Says under which key each request was counted. */
function tellingKeys(limiter: ReturnType<typeof rateLimit>): Express {
  const app = express()
  app.use(limiter).get('/', (_req, res) => {
    res.send(String(res.locals.rateLimit.key))
  })
  return app
}

describe('behind a real proxy', () => {
  // The proxy connects from 127.0.0.1; the clients of these tests from other addresses of the loopback net.
  const trusting = () => rateLimit({ ...limitAtNoon(2), key: byIp({ trust: '127.0.0.1' }) })

  it('B02: clients have a limit each, and what they write into the header is left of what the proxy wrote', async () => {
    const target = await behindProxy(tellingKeys(trusting()))
    const answers = []
    for (const n of [1, 2, 3])
      answers.push(
        await send(target, '/', { from: '127.0.0.7', headers: { 'x-forwarded-for': `6.6.6.${n}` } }),
      )
    answers.push(await send(target, '/', { from: '127.0.0.8' }))
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 429, 200])
    expect([answers[0]?.body, answers[3]?.body]).toEqual(['127.0.0.7', '127.0.0.8'])
  })

  it('who goes around the proxy is counted by the socket, whatever the header says', async () => {
    const target = await started(tellingKeys(trusting()))
    const headers = { 'x-forwarded-for': '203.0.113.9' }
    expect((await send(target, '/', { from: '127.0.0.7', headers })).body).toBe('127.0.0.7')
  })

  it('row 19: a client that has the proxy drop the header shares the limit of the proxy, with one warning', async () => {
    const logger = { warn: vi.fn(), error: vi.fn() }
    const key = byIp({ trust: '127.0.0.1', logger })
    const target = await behindProxy(tellingKeys(rateLimit({ ...limitAtNoon(2), key })))
    const statuses = []
    for (const n of [7, 8, 9]) {
      const headers = { connection: 'x-forwarded-for, close' }
      statuses.push((await send(target, '/', { from: `127.0.0.${n}`, headers })).status)
    }
    expect(statuses).toEqual([200, 200, 429])
    expect(logger.warn.mock.calls).toEqual([
      [expect.stringContaining('the trusted proxy 127.0.0.1 sent no x-forwarded-for')],
    ])
  })

  it('row 4: two proxies in a row are passed over', async () => {
    const target = await behindProxy(
      tellingKeys(rateLimit({ ...limitAtNoon(2), key: byIp({ trust: 'loopback' }) })),
    )
    const headers = { 'x-forwarded-for': '6.6.6.6, 203.0.113.9' }
    expect((await send(target, '/', { from: '127.0.0.7', headers })).body).toBe('203.0.113.9')
  })

  it('without trust everyone behind the proxy shares one limit, and the warning says what to set', async () => {
    const logger = { warn: vi.fn(), error: vi.fn() }
    const target = await behindProxy(tellingKeys(rateLimit({ ...limitAtNoon(2), logger })))
    const statuses = []
    for (const from of ['127.0.0.7', '127.0.0.8', '127.0.0.9'])
      statuses.push((await send(target, '/', { from })).status)
    expect(statuses).toEqual([200, 200, 429])
    expect(logger.warn.mock.calls).toEqual([[expect.stringContaining('until trust names its address')]])
  })
})

describe('Express’s own address', () => {
  it('goes through the same canonical form: key: (req) => ipKey(req.ip)', async () => {
    const app = tellingKeys(rateLimit({ ...limitAtNoon(5), key: (req) => ipKey(req.ip) }))
    app.set('trust proxy', 'loopback')
    const target = await started(app)
    const bodies = []
    for (const address of ['::ffff:203.0.113.9', '2001:DB8:0:0::1', '203.0.113.9'])
      bodies.push((await send(target, '/', { headers: { 'x-forwarded-for': address } })).body)
    expect(bodies).toEqual(['203.0.113.9', '2001:db8::/56', '203.0.113.9'])
  })

  it('is left alone by byIp, also where the application trusts everyone', async () => {
    const logger = { warn: () => {}, error: () => {} }
    const app = tellingKeys(rateLimit({ ...limitAtNoon(5), logger }))
    app.set('trust proxy', true)
    const headers = { 'x-forwarded-for': '6.6.6.6' }
    expect((await send(await started(app), '/', { headers })).body).toBe('127.0.0.1')
  })
})
