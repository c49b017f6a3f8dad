import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { describe, expect, it } from 'vitest'
import { ipRanges } from './cidr.js'
import { type ClientAddressOptions, clientAddress } from './client-address.js'
import { parseIp } from './ip-address.js'

type Headers = Readonly<Record<string, string>>

/** A resolver, what it warned of, and the headers that it asked for. */
function resolver(options: ClientAddressOptions = {}) {
  const warnings: string[] = []
  const asked: string[] = []
  const log = (message: string) => warnings.push(message)
  const resolve = clientAddress({ logger: { warn: log, error: log }, ...options })
  const keyOf = (peer: string | undefined, headers: Headers = {}) => {
    const header = (name: string) => {
      asked.push(name)
      return headers[name]
    }
    return resolve({ method: 'GET', peer, route: undefined, header, carrier: headers })
  }
  return { keyOf, warnings, asked }
}

/** The key of a request that came through the proxy 10.0.0.2. */
function proxied(headers: Headers, options: ClientAddressOptions = {}): string {
  return resolver({ trust: '10.0.0.0/8', ...options }).keyOf('10.0.0.2', headers)
}

const xff = (list: string): Headers => ({ 'x-forwarded-for': list })
const forwarded = (list: string): Headers => ({ forwarded: list })
const PROXY = '10.0.0.2'

describe('clientAddress without trust', () => {
  it('looks at the headers of the first requests, then of one in 32: a proxy that comes later is noticed too', () => {
    const { keyOf, warnings, asked } = resolver()
    for (let i = 0; i < 128; i++) keyOf('203.0.113.9')
    expect(asked).toHaveLength(128 * 4)
    for (let i = 0; i < 31; i++) keyOf(PROXY, xff('203.0.113.9'))
    expect([asked.length, warnings.length]).toEqual([128 * 4, 0])
    keyOf(PROXY, xff('203.0.113.9'))
    expect(warnings).toHaveLength(1)
  })

  it('tells clients apart that take turns', () => {
    const { keyOf } = resolver()
    const turns = ['203.0.113.9', '2001:db8::1', undefined, '203.0.113.8', 'no address', '203.0.113.9']
    expect([...turns, ...turns].map((peer) => keyOf(peer))).toEqual(
      [...turns, ...turns].map((peer) => resolver().keyOf(peer)),
    )
  })

  it.each([
    'x-forwarded-for',
    'x-real-ip',
    'cf-connecting-ip',
    'true-client-ip',
    'fastly-client-ip',
    'fly-client-ip',
    'x-client-ip',
    'forwarded',
  ])('believes no header: %s', (name) => {
    const { keyOf } = resolver()
    const keys = Array.from({ length: 10 }, (_, i) => keyOf('198.51.100.7', { [name]: `203.0.113.${i}` }))
    expect(new Set(keys)).toEqual(new Set(['198.51.100.7']))
  })

  it.each(['x-forwarded-for', 'forwarded', 'x-real-ip', 'cf-connecting-ip'])(
    'warns once that nobody is trusted, then looks at no header any more: %s',
    (name) => {
      const { keyOf, warnings, asked } = resolver()
      keyOf('198.51.100.7')
      keyOf('198.51.100.7', { [name]: 'evil\u001b[31m' })
      asked.length = 0
      keyOf('198.51.100.7', { [name]: '203.0.113.9' })
      expect(asked).toEqual([])
      expect(warnings).toEqual([
        `byIp: a request came with ${name}, which is not believed because trust is not set. If that is your proxy, ` +
          'everyone behind it shares one limit until trust names its address, such as trust: ["10.0.0.0/8"]. ' +
          'If you have no proxy, trust: [] says so.',
      ])
    },
  )

  it('takes trust: [] for the word that there is no proxy', () => {
    const { keyOf, warnings, asked } = resolver({ trust: [] })
    expect(keyOf('198.51.100.7', xff('203.0.113.9'))).toBe('198.51.100.7')
    expect([warnings, asked]).toEqual([[], []])
  })

  it('groups IPv6 by 56 bits, by ipv6Prefix where it is given', () => {
    expect(resolver().keyOf('2001:db8:1:2::1')).toBe('2001:db8:1::/56')
    expect(resolver({ ipv6Prefix: 64 }).keyOf('2001:db8:1:2::1')).toBe('2001:db8:1:2::/64')
    expect(resolver({ ipv6Prefix: 128 }).keyOf('2001:db8:1:2::1')).toBe('2001:db8:1:2::1')
  })

  it('gives the clients of a dual-stack listener the key of their IPv4 address', () => {
    const { keyOf } = resolver()
    expect(keyOf('::ffff:192.0.2.1')).toBe('192.0.2.1')
    expect(keyOf('::ffff:192.0.2.2')).toBe('192.0.2.2')
  })

  it('keeps loopback apart from its neighbours and from mapped addresses', () => {
    const { keyOf } = resolver()
    expect([keyOf('::1'), keyOf('::2'), keyOf('::ffff:0.0.0.1')]).toEqual(['::1', '::/56', '0.0.0.1'])
    expect(ipRanges('::1', 'allow').matches(parseIp('::1')!)).toBe(true)
  })

  it.each([undefined, '', '/run/app.sock', '1.2.3.4:5'])(
    'counts connections without an address under one key, with one warning: %j',
    (peer) => {
      const { keyOf, warnings } = resolver()
      expect([keyOf(peer), keyOf(peer, xff('203.0.113.9'))]).toEqual(['no-address', 'no-address'])
      expect(warnings).toEqual([
        'byIp: a connection has no address: it is a unix socket, or was closed already. All requests of that kind ' +
          'share one limit, under the key "no-address". Listen on a TCP port, or give key: a function that knows the client.',
      ])
    },
  )

  it('believes no header of a connection without an address', () => {
    expect(resolver({ trust: ['0.0.0.0/0', '::/0'] }).keyOf(undefined, xff('203.0.113.9'))).toBe('no-address')
  })
})

describe('clientAddress with trust, x-forwarded-for', () => {
  it.each([
    ['the right-most address that is no proxy', '6.6.6.6, 203.0.113.9', '203.0.113.9'],
    ['the same behind two proxies', '6.6.6.6, 203.0.113.9, 10.0.0.5', '203.0.113.9'],
    ['whatever stands to its left', 'not an address, 203.0.113.9', '203.0.113.9'],
    ['the lines of a repeated header in order', ['6.6.6.6', '203.0.113.9'].join(', '), '203.0.113.9'],
    ['IPv4 without its port', '203.0.113.9:51234', '203.0.113.9'],
    ['IPv4 without its port, another', '203.0.113.9:51235', '203.0.113.9'],
    ['IPv6 without brackets and port', '[2001:db8::1]:443', '2001:db8::/56'],
    ['IPv6 without brackets', '[2001:db8::1]', '2001:db8::/56'],
    ['IPv6 in any spelling', '2001:DB8:0::1', '2001:db8::/56'],
    ['a port in brackets only', '[2001:db8:1:2::9]:443', '2001:db8:1::/56'],
    ['blanks trimmed', ' 203.0.113.5 ,10.0.0.9', '203.0.113.5'],
    ['a tab trimmed', '\t203.0.113.9', '203.0.113.9'],
    ['many spaces trimmed', `${' '.repeat(300)}203.0.113.9${' '.repeat(300)}`, '203.0.113.9'],
    ['empty entries skipped', ',,203.0.113.9,,', '203.0.113.9'],
    ['the left-most where all are trusted', '10.0.0.7, 10.0.0.6', '10.0.0.7'],
    ['mapped IPv4 for IPv4', '6.6.6.6, ::ffff:203.0.113.9, ::ffff:a00:5', '203.0.113.9'],
  ])('takes %s: %j', (_rule, list, key) => {
    expect(proxied(xff(list))).toBe(key)
  })

  it('takes the last group of IPv6 without brackets for no port', () => {
    expect(proxied(xff('2001:db8::1:443'), { ipv6Prefix: 128 })).toBe('2001:db8::1:443')
    expect(proxied(xff('2001:db8::1'), { ipv6Prefix: 128 })).toBe('2001:db8::1')
  })

  it.each([
    '',
    ',',
    ' , ,\t',
    'unknown',
    '_hidden',
    '6.6.6.6, unknown',
    '"203.0.113.9"',
    '<script>',
    '203. 0.113.9',
    '203.0.113.9/24',
    '6.6.6.6, \u00e9',
    '\u00a0203.0.113.9',
    '01.2.3.4',
    '127.1',
    '0x7f.1',
    '2130706433',
    '256.1.1.1',
    '１.2.3.4',
    `fe80::1%${'x'.repeat(200)}`,
    'x'.repeat(16_384),
  ])('counts under the proxy when its entry is no address: %j', (list) => {
    expect(proxied(xff(list))).toBe(PROXY)
  })

  it('ends the walk at an invalid entry, with the last trusted hop', () => {
    expect(proxied(xff('6.6.6.6, unknown, 10.0.0.5'))).toBe('10.0.0.5')
  })

  it('believes a trusted peer only', () => {
    const { keyOf } = resolver({ trust: ['10.0.0.0/8'] })
    expect(keyOf('198.51.100.7', xff('203.0.113.9'))).toBe('198.51.100.7')
    expect(keyOf('::ffff:10.0.0.2', xff('203.0.113.9'))).toBe('203.0.113.9')
  })

  it('never takes an IPv4 peer for part of an IPv6 range', () => {
    expect(resolver({ trust: '::/0' }).keyOf('198.51.100.7', xff('203.0.113.9'))).toBe('198.51.100.7')
  })

  it('gives two clients behind one proxy two keys', () => {
    const { keyOf } = resolver({ trust: '10.0.0.0/8' })
    expect([keyOf(PROXY, xff('203.0.113.5')), keyOf(PROXY, xff('203.0.113.6'))]).toEqual([
      '203.0.113.5',
      '203.0.113.6',
    ])
  })

  it('takes an address from inside only where every hop to its right is trusted', () => {
    expect(proxied(xff('127.0.0.1, 203.0.113.9'), { trust: ['10.0.0.0/8', 'loopback'] })).toBe('203.0.113.9')
    expect(proxied(xff('127.0.0.1, 10.0.0.9'), { trust: ['10.0.0.0/8', 'loopback'] })).toBe('127.0.0.1')
  })

  it('looks at 64 entries at most', () => {
    expect(proxied(xff(`203.0.113.9${', 10.0.0.1'.repeat(63)}`))).toBe('203.0.113.9')
    expect(proxied(xff(`203.0.113.9${', 10.0.0.1'.repeat(64)}`))).toBe('10.0.0.1')
  })

  it.each([
    ['commas', ','.repeat(16_384), PROXY],
    ['addresses', `${'6.6.6.6, '.repeat(4000)}203.0.113.9`, '203.0.113.9'],
    ['trusted addresses', '10.0.0.1,'.repeat(4000), '10.0.0.1'],
    ['blanks', ' '.repeat(16_384), PROXY],
  ])('resolves a huge header of %s in less than a millisecond', (_kind, list, key) => {
    const { keyOf } = resolver({ trust: '10.0.0.0/8' })
    const times = Array.from({ length: 50 }, () => {
      const start = performance.now()
      expect(keyOf(PROXY, xff(list))).toBe(key)
      return performance.now() - start
    })
    expect(Math.min(...times)).toBeLessThan(1)
  })

  it('reads the one header of exactly that name', () => {
    const { keyOf, asked } = resolver({ trust: '10.0.0.0/8' })
    const headers = { x_forwarded_for: '6.6.6.6', 'x-forwarded-for2': '6.6.6.6', forwarded: 'for=6.6.6.6' }
    expect(keyOf(PROXY, headers)).toBe(PROXY)
    expect(asked).toEqual(['x-forwarded-for'])
  })

  it('counts under the proxy when it sends no header, with one warning', () => {
    const { keyOf, warnings } = resolver({ trust: '10.0.0.0/8' })
    expect([keyOf('::ffff:10.0.0.2'), keyOf(PROXY)]).toEqual([PROXY, PROXY])
    expect(warnings).toEqual([
      'byIp: the trusted proxy 10.0.0.2 sent no x-forwarded-for. Requests of that kind share one limit, that of the ' +
        'proxy. For its own health checks that is right; else let it write the header, or set header to the one it writes.',
    ])
  })

  it('warns of either, whichever comes first', () => {
    const { keyOf, warnings } = resolver({ trust: '10.0.0.0/8' })
    keyOf(PROXY)
    keyOf(PROXY, xff('unknown'))
    expect(warnings).toHaveLength(2)
  })

  it('warns once of a header whose last entry is no address, without its text', () => {
    const { keyOf, warnings } = resolver({ trust: '10.0.0.0/8' })
    keyOf(PROXY, xff('<script>'))
    keyOf(PROXY, xff('unknown'))
    expect(warnings).toEqual([
      'byIp: the trusted proxy 10.0.0.2 sent a header x-forwarded-for whose last entry is no address. Requests of that ' +
        'kind share one limit, that of the proxy. For its own health checks that is right; else let it write the header, ' +
        'or set header to the one it writes.',
    ])
  })
})

describe('clientAddress with trust: { hops, peers }', () => {
  const hops = (count: number) => ({ trust: { hops: count, peers: ['10.0.0.0/8'] } })

  it.each([
    [1, '6.6.6.6, 198.51.100.7', '198.51.100.7'],
    [1, '198.51.100.7:41234', '198.51.100.7'],
    [1, '203.0.113.1, 10.0.0.9', '10.0.0.9'],
    [2, '6.6.6.6, 203.0.113.9, 198.51.100.7', '203.0.113.9'],
    [3, '203.0.113.9, 198.51.100.7', '203.0.113.9'],
    [2, 'unknown, 198.51.100.7', '198.51.100.7'],
  ])('takes the entry that the outermost of %i proxies wrote: %j', (count, list, key) => {
    expect(proxied(xff(list), hops(count))).toBe(key)
  })

  it('keeps a client that rotates the left end in one bucket', () => {
    const { keyOf } = resolver(hops(1))
    const keys = [1, 2, 3].map((n) => keyOf('10.0.0.5', xff(`203.0.113.${n}, 198.51.100.7`)))
    expect(keys).toEqual(['198.51.100.7', '198.51.100.7', '198.51.100.7'])
  })

  it('believes nothing from a client that connects directly', () => {
    expect(resolver(hops(1)).keyOf('198.51.100.7', xff('203.0.113.9'))).toBe('198.51.100.7')
  })
})

describe('clientAddress with trust, forwarded', () => {
  it.each([
    ['for=203.0.113.9;proto=https, for="[2001:db8::1]:80"', '2001:db8::/56'],
    ['for=6.6.6.6, for=203.0.113.9;proto=https, for=10.0.0.5', '203.0.113.9'],
    ['FOR=1.2.3.4', '1.2.3.4'],
    ['for="203.0.113.9:8443"', '203.0.113.9'],
    ['for="1.2.3.4, for=5.5.5.5"', PROXY],
    ['for=_hid', PROXY],
    ['for=unknown', PROXY],
    ['for=', PROXY],
    ['for="1.2.3.4', PROXY],
    ['proto=https', PROXY],
    ['for=6.6.6.6, for=_hid, for=10.0.0.5', '10.0.0.5'],
    ['for="6.6.6.6, for=203.0.113.9', '203.0.113.9'],
  ])('takes the right-most node that is no proxy: %j', (list, key) => {
    expect(proxied(forwarded(list), { header: 'Forwarded' })).toBe(key)
  })

  it('ignores what X-Forwarded-For says', () => {
    expect(proxied({ ...forwarded('for=203.0.113.9'), ...xff('6.6.6.6') }, { header: 'forwarded' })).toBe(
      '203.0.113.9',
    )
    expect(proxied(xff('6.6.6.6'), { header: 'forwarded' })).toBe(PROXY)
  })
})

describe('clientAddress with trust and a header of one address', () => {
  it.each([
    ['203.0.113.9', '203.0.113.9'],
    [' 203.0.113.9\t', '203.0.113.9'],
    ['2001:db8::1', '2001:db8::/56'],
    ['10.0.0.7', '10.0.0.7'],
    ['1.1.1.1, 2.2.2.2', PROXY],
    ['203.0.113.9,', PROXY],
    ['203.0.113.9 203.0.113.9', PROXY],
    ['unknown', PROXY],
    ['', PROXY],
  ])('takes exactly one address: %j', (value, key) => {
    expect(proxied({ 'cf-connecting-ip': value }, { header: 'CF-Connecting-IP' })).toBe(key)
  })

  it('never falls back to another header', () => {
    expect(proxied(xff('6.6.6.6'), { header: 'cf-connecting-ip' })).toBe(PROXY)
  })
})

describe('the options of clientAddress', () => {
  it.each([
    [
      { header: 'cf-connecting-ip' },
      'header: needs trust, which says from which proxies the header is believed',
    ],
    [
      { trust: 'private', header: 'x forwarded' },
      'header: takes the name of the one header that your proxies write',
    ],
    [
      { trust: 'private', header: ['a', 'b'] },
      'header: takes the name of the one header that your proxies write',
    ],
    [{ trust: 'private', header: '' }, 'header: takes the name of the one header that your proxies write'],
    [{ ipv6Prefix: 24 }, 'ipv6Prefix: must be a whole number from 32 to 128'],
    [{ ipv6Prefix: null }, 'ipv6Prefix: must be a whole number from 32 to 128'],
    [{ trust: true }, 'trust: can’t be true'],
    [{ trust: null }, 'trust: takes addresses and ranges'],
    [{ logger: {} }, 'logger: takes an object with warn(message) and error(message)'],
    [{ trusts: [] }, 'byIp: there is no option "trusts". Did you mean "trust"?'],
  ])('are checked at construction: %j', (options, message) => {
    expect(() => clientAddress(options as ClientAddressOptions)).toThrow(
      expect.objectContaining({ code: 'RL_CONFIG', message: expect.stringContaining(message) }),
    )
  })

  it.each(['X-FORWARDED-FOR', 'X-Forwarded-For', 'x-forwarded-for'])(
    'name a header in any letter case: %s',
    (header) => {
      expect(proxied(xff('203.0.113.5, 10.0.0.9'), { header })).toBe('203.0.113.5')
    },
  )
})

describe('the keys of clientAddress', () => {
  it.each(['x-forwarded-for', 'forwarded', 'x-real-ip'])('keep no header alive: %s', (name) => {
    setFlagsFromString('--expose-gc')
    const gc = runInNewContext('gc') as () => void
    const { keyOf } = resolver({ trust: '10.0.0.0/8', header: name, ipv6Prefix: 128 })
    const blanks = name === 'x-real-ip' ? ' '.repeat(16_384) : `${'6.6.6.6,'.repeat(2048)}`
    const entry = (ip: string) => (name === 'forwarded' ? `for="[${ip}]"` : ip)
    const keys: string[] = []
    gc()
    const before = process.memoryUsage().heapUsed
    for (let i = 0; i < 20_000; i++) {
      const header = Buffer.from(`${blanks}${entry(`2001:db8:a1b2:c3d4::${i.toString(16)}`)}`).toString(
        'latin1',
      )
      keys.push(keyOf(PROXY, { [name]: header }))
    }
    gc()
    const grown = process.memoryUsage().heapUsed - before
    expect(new Set(keys).size).toBe(20_000)
    expect(grown).toBeLessThan(16 * 2 ** 20)
  })
})
