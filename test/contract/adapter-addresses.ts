import { once } from 'node:events'
import { createLimiter } from '@rl/core'
import { byIp, type ClientAddressOptions } from '@rl/core/http'
import { describe, expect, it, vi } from 'vitest'
import { open, rawGet, send, sendRaw } from '../support/http-client.js'
import { limitAtNoon } from './at-noon.js'
import type { Serve } from './served.js'

const silent = { warn: () => {}, error: () => {} }
const proxied: ClientAddressOptions = { trust: ['127.0.0.0/8', '10.0.0.0/8'], logger: silent }
const PROXY = '127.0.0.1'

/** A forwarded address, and the key that it is counted under. */
const counted =
  (row: string, key: string) =>
  (address: string): [row: string, lines: readonly string[], key: string] => [
    row,
    [`X-Forwarded-For: ${address}`],
    key,
  ]
const invalid = (row: string) => counted(row, PROXY)

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
      ['row 7, no port', ['X-Forwarded-For: [2001:db8::1]'], '2001:db8::/56'],
      ['row 7, bare', ['X-Forwarded-For: 2001:DB8:0::1'], '2001:db8::/56'],
      ['row 9', ['X-Forwarded-For: unknown'], PROXY],
      ['row 10', ['X-Forwarded-For: 6.6.6.6, unknown, 10.0.0.5'], '10.0.0.5'],
      ['row 11, empty', ['X-Forwarded-For:'], PROXY],
      ['row 11, comma', ['X-Forwarded-For: ,'], PROXY],
      ['row 11', ['X-Forwarded-For: ,,203.0.113.9,,'], '203.0.113.9'],
      ['row 12', ['X-Forwarded-For: 6.6.6.6,\t 203.0.113.9 \t'], '203.0.113.9'],
      ['row 12, spaces', [`X-Forwarded-For: ${' '.repeat(300)}203.0.113.9${' '.repeat(300)}`], '203.0.113.9'],
      ...['"203.0.113.9"', '<script>', '203. 0.113.9', '203.0.113.9/24'].map(invalid('row 13')),
      ['row 14, commas', [`X-Forwarded-For: 203.0.113.9${','.repeat(8000)}`], PROXY],
      ['row 14, addresses', [`X-Forwarded-For: ${'6.6.6.6,'.repeat(1000)}203.0.113.9`], '203.0.113.9'],
      ['row 16', ['X-Forwarded-For: 203.0.113.\xe9'], PROXY],
      ...['01.2.3.4', '127.1', '0x7f.1', '2130706433', '256.1.1.1', '\xef\xbc\x91.2.3.4'].map(
        invalid('row 17'),
      ),
      ['row 19', ['Connection: X-Forwarded-For'], PROXY],
      ['row 20, underscores', ['X_Forwarded_For: 203.0.113.9'], PROXY],
      ['row 20, another name', ['X-Forwarded-For2: 203.0.113.9'], PROXY],
      ['row 20, upper case', ['X-FORWARDED-FOR: 203.0.113.9'], '203.0.113.9'],
      ['row 24, turned round', ['Forwarded: for=203.0.113.9'], PROXY],
      ...['1.2.3.4', '::ffff:1.2.3.4', '::FFFF:1.2.3.4', '::ffff:102:304', '0:0:0:0:0:ffff:0102:0304'].map(
        counted('row 26', '1.2.3.4'),
      ),
      counted('row 28', '2001:db8:1::/56')('2001:db8:1:2::1.2.3.4'),
      ...['fe80::1%eth0', 'fe80::1%25eth0', 'fe80::1'].map(counted('row 29', 'fe80::/56')),
      invalid('row 29')(`fe80::1%${'x'.repeat(200)}`),
      ...['64:ff9b::1.2.3.4', '64:FF9B:0:0:0:0:102:304'].map(counted('row 30, NAT64', '64:ff9b::/56')),
      ...['2002:102:304::1', '2002:0102:0304:ffff::1'].map(counted('row 30, 6to4', '2002:102:304::/48')),
      counted('row 30, Teredo', '2001:0:4136:e300::/56')('2001:0:4136:e378:8000:63bf:3fff:fdd2'),
      counted('row 31', '::1')('::1'),
      counted('row 31', '::/56')('::2'),
      counted('row 31', '0.0.0.1')('::ffff:0.0.0.1'),
      ['B06', ['x-FORWARDED-for:  203.0.113.5 ,10.0.0.9'], '203.0.113.5'],
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
      ['row 23, upper case', 'forwarded', ['Forwarded: FOR=1.2.3.4'], '1.2.3.4'],
      ['row 23, hidden', 'forwarded', ['Forwarded: for=_hid'], PROXY],
      ['row 23, empty', 'forwarded', ['Forwarded: for='], PROXY],
      ['row 23, open quote', 'forwarded', ['Forwarded: for="1.2.3.4'], PROXY],
      ['row 24', 'forwarded', ['Forwarded: for=203.0.113.9', 'X-Forwarded-For: 6.6.6.6'], '203.0.113.9'],
    ])('%s, reading %s: %j', async (_, header, lines, key) => {
      expect(await keyOf({ ...proxied, header }, ...lines)).toBe(key)
    })
  })

  it('row 8: what ends IPv6 without brackets is its last group, no port', async () => {
    const line = 'X-Forwarded-For: 2001:db8::1:443'
    expect(await keyOf({ ...proxied, ipv6Prefix: 128 }, line)).toBe('2001:db8::1:443')
  })

  it.each<[trust: ClientAddressOptions['trust'], key: string]>([
    ['loopback', '203.0.113.9'],
    [['private', 'loopback'], '203.0.113.9'],
    ['private', PROXY],
    [[], PROXY],
    [{ hops: 1, peers: 'loopback' }, '203.0.113.9'],
    [{ hops: 2, peers: 'loopback' }, '6.6.6.6'],
    [{ hops: 9, peers: 'loopback' }, '6.6.6.6'],
    [{ hops: 1, peers: ['10.0.0.0/8'] }, PROXY],
  ])(
    'of trust %j the client is %s: a count of hops is believed only of the peers that are named',
    async (trust, key) => {
      expect(await keyOf({ trust, logger: silent }, 'X-Forwarded-For: 6.6.6.6, 203.0.113.9')).toBe(key)
    },
  )

  /** The keys of one request each, which come from these addresses through the proxy. */
  async function keysBehindProxy(options: ClientAddressOptions, addresses: readonly string[]) {
    const key = byIp({ ...proxied, ...options })
    const { target, results } = await serve({ app: [{ ...limitAtNoon(99), key }] })
    for (const address of addresses) await send(target, '/ok', { headers: { 'x-forwarded-for': address } })
    return results.map((result) => result?.key)
  }

  it('row 27, B03: addresses of one network are one client, by 56 bits or as many as are said', async () => {
    const within64 = [1, 2, 3, 4].map((n) => `2001:db8:1:200:${n}${n}:${n}::${n}`)
    const within56 = [0, 1, 0x7f, 0xff].map((n) => `2001:db8:1:${(0x200 + n).toString(16)}::1`)
    const distinct = async (options: ClientAddressOptions, list: readonly string[]) =>
      new Set(await keysBehindProxy(options, list)).size
    expect(await distinct({}, [...within64, ...within56])).toBe(1)
    expect(await distinct({ ipv6Prefix: 64 }, within64)).toBe(1)
    expect(await distinct({ ipv6Prefix: 64 }, within56)).toBe(4)
    expect(await distinct({ ipv6Prefix: 128 }, within64)).toBe(4)
  })

  it('B01: a new port is no new client; B04: nor are two mapped addresses one', async () => {
    const list = [
      '198.51.100.7:41234',
      '198.51.100.7:50022',
      '::ffff:192.0.2.1',
      '::ffff:192.0.2.2',
      '192.0.2.1',
    ]
    expect(await keysBehindProxy({}, list)).toEqual([
      '198.51.100.7',
      '198.51.100.7',
      '192.0.2.1',
      '192.0.2.2',
      '192.0.2.1',
    ])
  })

  it('row 33: a client that resets its connection at once is counted once at most, and is no error', async () => {
    const limiter = createLimiter(limitAtNoon(9))
    const { target, errors } = await serve({ app: [{ limiter, key: byIp({ logger: silent }) }] })
    const socket = open(target, rawGet('/ok'))
    socket.on('error', () => {})
    await once(socket, 'ready')
    socket.resetAndDestroy()
    expect((await send(target, '/ok')).status).toBe(200)
    const { used } = limiter.peek(PROXY) as { used: number }
    expect([1, 2]).toContain(used)
    expect(errors).toEqual([])
  })

  it('row 36: trust ::/0 is believed, with a warning', async () => {
    const logger = { warn: vi.fn(), error: vi.fn() }
    const { target, results } = await serve({
      app: [{ ...limitAtNoon(3), key: byIp({ trust: ['::/0', '127.0.0.1'], logger }) }],
    })
    await send(target, '/ok', { headers: { 'x-forwarded-for': '203.0.113.9, 2001:db8::1' } })
    expect(results).toMatchObject([{ key: '203.0.113.9' }])
    expect(logger.warn.mock.calls).toEqual([[expect.stringMatching(/^trust: "::\/0" trusts every address/)]])
  })

  it.each<[trust: unknown, message: RegExp]>([
    [['not-an-ip'], /^trust: takes addresses, ranges/],
    ['10.0.0.0/33', /^trust: takes addresses, ranges/],
    [true, /^trust: can’t be true: anyone can write the header/],
    [1, /^trust: can’t be a number alone/],
  ])('row 36: trust %j is refused', (trust, message) => {
    expect(() => byIp({ trust } as ClientAddressOptions)).toThrow(message)
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
