import { createLimiter, memoryStore, slidingLog } from '@rl/core'
import { describe, expect, it, vi } from 'vitest'
import { rawGet, send, sendRaw } from '../support/http-client.js'
import { limitAtNoon, NOON } from './at-noon.js'
import type { Serve } from './served.js'

export function describeRequests(serve: Serve): void {
  describe('methods', () => {
    it('row 59: HEAD counts like GET, and refused it has the fields but no body', async () => {
      const { target } = await serve({ route: [limitAtNoon(3)] })
      for (const _call of [1, 2, 3]) await send(target, '/limited')
      const head = await send(target, '/limited', { method: 'HEAD' })
      expect(head).toMatchObject({ status: 429, body: '' })
      expect(head.fields).toMatchObject({ ratelimit: '"1m";r=0;t=60', 'retry-after': '60' })
    })

    it('row 60: OPTIONS counts for the application, not for a route', async () => {
      const [app, route] = [createLimiter(limitAtNoon(9)), createLimiter(limitAtNoon(3))]
      const { target } = await serve({ app: [{ limiter: app }], route: [{ limiter: route }] })
      await send(target, '/limited', { method: 'OPTIONS' })
      expect(app.peek('127.0.0.1')).toMatchObject({ used: 1 })
      expect(route.peek('127.0.0.1')).toMatchObject({ used: 0 })
    })

    it.each(['PUT', 'QUERY', 'TRACE'])('row 61: %s is limited like any', async (method) => {
      const { target } = await serve({ app: [limitAtNoon(0)] })
      expect((await sendRaw(target, rawGet('/ok').replace('GET', method))).slice(0, 12)).toBe('HTTP/1.1 429')
    })

    it.each(['get', 'FOO'])('row 61: %s is no method, which the server says before us', async (method) => {
      const { target } = await serve({})
      expect((await sendRaw(target, rawGet('/ok').replace('GET', method))).slice(0, 12)).toBe('HTTP/1.1 400')
    })

    it('row 62: X-HTTP-Method-Override changes nothing', async () => {
      const { target } = await serve({ app: [limitAtNoon(1)] })
      const statuses = []
      for (const override of ['GET', 'PUT'])
        statuses.push(
          (await send(target, '/ok', { method: 'POST', headers: { 'x-http-method-override': override } }))
            .status,
        )
      expect(statuses).toEqual([200, 429])
    })

    it('row 66: a body that never ends is not waited for', async () => {
      const { target } = await serve({ app: [limitAtNoon(0)] })
      const head = [
        'POST /ok HTTP/1.1',
        'Host: a',
        'Connection: close',
        'Transfer-Encoding: chunked',
        '',
        '4',
      ]
      expect((await sendRaw(target, head.join('\r\n'))).slice(0, 12)).toBe('HTTP/1.1 429')
    })
  })

  describe('one resource is one bucket, however it is spelt', () => {
    it.each<[string, (n: number) => string]>([
      ['row 55: absolute form with any host', (n) => `http://evil${n}.example/limited`],
      ['row 56: any query', (n) => `/limited?x=${n}`],
      ['row 63: any parameter of the route', (n) => `/users/${n}`],
    ])('%s', async (_, path) => {
      const { target } = await serve({ route: [limitAtNoon(3)] })
      const heads = []
      for (const n of [1, 2, 3, 4]) heads.push((await sendRaw(target, rawGet(path(n)))).slice(9, 12))
      expect(heads).toEqual(['200', '200', '200', '429'])
    })

    it('rows 52 to 57: of all spellings that reach the route together no more than the limit do', async () => {
      const { target, results } = await serve({ route: [limitAtNoon(3)] })
      const statuses = new Set<string>()
      for (const path of [...SPELLINGS, ...SPELLINGS])
        statuses.add((await sendRaw(target, rawGet(path))).slice(9, 12))
      expect(results).toHaveLength(3)
      expect([...statuses].filter((status) => !['200', '400', '404', '429'].includes(status))).toEqual([])
    })

    it('row 57: what the router does not know is limited by the application, unless it is no URL at all', async () => {
      const [bare, limited] = [await serve({}), await serve({ app: [limitAtNoon(0)] })]
      for (const path of SPELLINGS) {
        const unlimited = (await sendRaw(bare.target, rawGet(path))).slice(9, 12)
        const status = (await sendRaw(limited.target, rawGet(path))).slice(9, 12)
        expect([path, status]).toEqual([path, unlimited === '400' ? '400' : '429'])
      }
    })
  })

  describe('at once', () => {
    it.each([
      ['fixed window', limitAtNoon(100).limit],
      ['row 70: sliding log', slidingLog({ limit: 100, window: '1m' })],
    ])('rows 69, 70: of 1,000 requests over as many sockets exactly 100 pass: %s', async (_, limit) => {
      const { target, results } = await serve({ app: [{ limit, store: memoryStore({ clock: () => NOON }) }] })
      const answers = await Promise.all(Array.from({ length: 1000 }, () => send(target, '/ok')))
      const statuses = answers.map(({ status }) => status)
      expect(statuses.filter((status) => status === 200)).toHaveLength(100)
      expect(statuses.filter((status) => status === 429)).toHaveLength(900)
      expect(results).toHaveLength(100)
    })

    it('B47: no remaining is ever below zero', async () => {
      const { target } = await serve({ app: [limitAtNoon(3)] })
      const answers = await Promise.all([1, 2, 3, 4, 5].map(() => send(target, '/ok')))
      expect(answers.map(({ fields }) => fields.ratelimit).sort()).toEqual([
        '"1m";r=0;t=60',
        '"1m";r=0;t=60',
        '"1m";r=0;t=60',
        '"1m";r=1;t=60',
        '"1m";r=2;t=60',
      ])
    })
  })

  it('row 71: at the edge of a fixed window both limits pass, and no more', async () => {
    let now = NOON - 100
    const store = memoryStore({ clock: () => now })
    const { target } = await serve({ app: [{ limit: limitAtNoon(2).limit, store }] })
    const statuses = []
    for (const at of [-100, -100, -100, 100, 100, 100]) {
      now = NOON + at
      statuses.push((await send(target, '/ok')).status)
    }
    expect(statuses).toEqual([200, 200, 429, 200, 200, 429])
  })

  it('row 32, B08: on a unix socket all requests share one limit, with one warning', async () => {
    const logger = { warn: vi.fn(), error: vi.fn() }
    const { target, results } = await serve({ app: [{ ...limitAtNoon(2), logger }], listen: 'unix socket' })
    const statuses = []
    for (const _call of [1, 2, 3]) statuses.push((await send(target, '/ok')).status)
    expect(statuses).toEqual([200, 200, 429])
    expect(results).toMatchObject([{ key: 'no-address' }, { key: 'no-address' }])
    expect(logger.warn.mock.calls).toEqual([[expect.stringContaining('a connection has no address')]])
  })
}

const SPELLINGS = [
  '/limited /Limited /limited/ /LIMITED/ /limited#x /limited?x //limited ///limited /limited;a=b /limited%00',
  '/limited%2f /limited\\ /%6cimited /l%69mited /./limited /x/../limited /%2e/limited /limited/. /limited/..',
  '/limited// /limited%20 /limited%',
].flatMap((line) => line.split(' '))
