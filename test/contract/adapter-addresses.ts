import { byIp, type ClientAddressOptions } from '@rl/core/http'
import { describe, expect, it, vi } from 'vitest'
import { rawGet, send, sendRaw } from '../support/http-client.js'
import { limitAtNoon } from './at-noon.js'
import type { Serve } from './served.js'

const silent = { warn: () => {}, error: () => {} }
const proxied: ClientAddressOptions = { trust: ['127.0.0.0/8', '10.0.0.0/8'], logger: silent }
const PROXY = '127.0.0.1'

export function describeAddresses(serve: Serve): void {
  /** The key that one request counted for, with these header lines. */
  async function keyOf(options: ClientAddressOptions, ...lines: readonly string[]): Promise<unknown> {
    const { target, results } = await serve({ app: [{ ...limitAtNoon(3), key: byIp(options) }] })
    await sendRaw(target, rawGet('/ok', ...lines))
    return results[0]?.key
  }

  describe('a client that connects directly is its socket, whatever it sends', () => {
    it('row 1: X-Forwarded-For', async () => {
      const { target } = await serve({ app: [{ ...limitAtNoon(3), logger: silent }] })
      const statuses = []
      for (const n of [1, 2, 3, 4, 5, 6, 7, 8, 9, 10])
        statuses.push(
          (await send(target, '/ok', { headers: { 'x-forwarded-for': `198.51.100.${n}` } })).status,
        )
      expect(statuses).toEqual([200, 200, 200, 429, 429, 429, 429, 429, 429, 429])
    })

    it.each([
      ...[
        'X-Real-IP',
        'CF-Connecting-IP',
        'True-Client-IP',
        'Fastly-Client-IP',
        'Fly-Client-IP',
        'X-Client-IP',
      ],
      'Forwarded: for',
    ])('row 2: %s', async (name) => {
      const line = name.includes(':') ? `${name}=198.51.100.7` : `${name}: 198.51.100.7`
      expect(await keyOf({ logger: silent }, line)).toBe(PROXY)
    })

    it('and once it is said what to set, in case that is a proxy', async () => {
      const logger = { warn: vi.fn(), error: vi.fn() }
      const { target } = await serve({ app: [{ ...limitAtNoon(3), logger }] })
      for (const _call of [1, 2])
        await send(target, '/ok', { headers: { 'x-forwarded-for': '198.51.100.7' } })
      expect(logger.warn.mock.calls).toEqual([[expect.stringContaining('trust is not set')]])
    })
  })

  describe('behind a trusted proxy', () => {
    it.each<[row: string, lines: readonly string[], key: string]>([
      ['row 3', ['X-Forwarded-For: 6.6.6.6, 203.0.113.9'], '203.0.113.9'],
      ['row 4', ['X-Forwarded-For: 6.6.6.6, 203.0.113.9, 10.0.0.5'], '203.0.113.9'],
      ['row 5', ['X-Forwarded-For: 6.6.6.6', 'X-Forwarded-For: 203.0.113.9'], '203.0.113.9'],
      ['row 6', ['X-Forwarded-For: 203.0.113.9:51234'], '203.0.113.9'],
      ['row 7', ['X-Forwarded-For: [2001:db8::1]:443'], '2001:db8::/56'],
      ['row 9', ['X-Forwarded-For: unknown'], PROXY],
      ['row 10', ['X-Forwarded-For: 6.6.6.6, unknown, 10.0.0.5'], '10.0.0.5'],
      ['row 11', ['X-Forwarded-For: ,,203.0.113.9,,'], '203.0.113.9'],
      ['row 12', ['X-Forwarded-For: 6.6.6.6,\t 203.0.113.9 \t'], '203.0.113.9'],
      ['row 13', ['X-Forwarded-For: <script>'], PROXY],
      ['row 14, commas', [`X-Forwarded-For: 203.0.113.9${','.repeat(8000)}`], PROXY],
      ['row 14, addresses', [`X-Forwarded-For: ${'6.6.6.6,'.repeat(1000)}203.0.113.9`], '203.0.113.9'],
      ['row 16', ['X-Forwarded-For: 203.0.113.\xe9'], PROXY],
      ['row 19', ['Connection: X-Forwarded-For'], PROXY],
      ['row 20, underscores', ['X_Forwarded_For: 203.0.113.9'], PROXY],
      ['row 20, another name', ['X-Forwarded-For2: 203.0.113.9'], PROXY],
      ['row 20, upper case', ['X-FORWARDED-FOR: 203.0.113.9'], '203.0.113.9'],
      ['row 24, turned round', ['Forwarded: for=203.0.113.9'], PROXY],
    ])('%s: %j', async (_, lines, key) => {
      expect(await keyOf(proxied, ...lines)).toBe(key)
    })

    it.each<[row: string, header: string, lines: readonly string[], key: string]>([
      ['row 21', 'cf-connecting-ip', ['CF-Connecting-IP: 203.0.113.9'], '203.0.113.9'],
      [
        'row 21, twice',
        'cf-connecting-ip',
        ['CF-Connecting-IP: 6.6.6.6', 'CF-Connecting-IP: 203.0.113.9'],
        PROXY,
      ],
      ['row 22', 'forwarded', ['Forwarded: for=6.6.6.6, for="[2001:db8::1]:80"'], '2001:db8::/56'],
      ['row 23', 'forwarded', ['Forwarded: for="1.2.3.4, for=5.5.5.5"'], PROXY],
      ['row 24', 'forwarded', ['Forwarded: for=203.0.113.9', 'X-Forwarded-For: 6.6.6.6'], '203.0.113.9'],
    ])('%s, reading %s: %j', async (_, header, lines, key) => {
      expect(await keyOf({ ...proxied, header }, ...lines)).toBe(key)
    })
  })

  it('row 15: a byte 0 in a header is a 400 of the server, and the next request is served', async () => {
    const { target } = await serve({ app: [{ ...limitAtNoon(3), key: byIp(proxied) }] })
    expect(await sendRaw(target, rawGet('/ok', 'X-Forwarded-For: 1.2.3.4\0'))).toMatch(/^HTTP\/1\.1 400 /)
    expect((await send(target, '/ok')).fields.ratelimit).toBe('"1m";r=2;t=60')
  })

  it('B02: two clients of one proxy have a limit each', async () => {
    const { target } = await serve({ app: [{ ...limitAtNoon(1), key: byIp(proxied) }] })
    const statuses = []
    for (const client of ['203.0.113.1', '203.0.113.2', '203.0.113.1'])
      statuses.push(
        (await send(target, '/ok', { headers: { 'x-forwarded-for': `6.6.6.6, ${client}` } })).status,
      )
    expect(statuses).toEqual([200, 200, 429])
  })

  it('row 25: on a dual-stack listener IPv4 clients are themselves, each with a limit', async () => {
    const { target, results } = await serve({ app: [limitAtNoon(1)], listen: 'dual-stack' })
    const statuses = []
    for (const from of ['127.0.0.2', '127.0.0.3', '127.0.0.2'])
      statuses.push((await send(target, '/ok', { from })).status)
    expect(statuses).toEqual([200, 200, 429])
    expect(results).toMatchObject([{ key: '127.0.0.2' }, { key: '127.0.0.3' }])
  })
}
