import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { describe, expect, it } from 'vitest'
import { ipKey, ipText, parseIp } from './ip-address.js'

describe('ipKey', () => {
  it.each([
    '1.2.3.4',
    '::ffff:1.2.3.4',
    '::FFFF:1.2.3.4',
    '::ffff:102:304',
    '::ffff:0102:0304',
    '0:0:0:0:0:ffff:0102:0304',
    '0000:0000:0000:0000:0000:FFFF:1.2.3.4',
  ])('gives the IPv4 address for every spelling of it: %s', (address) => {
    expect(ipKey(address)).toBe('1.2.3.4')
  })

  it('gives two IPv4 clients of a dual-stack listener two keys', () => {
    expect(ipKey('::ffff:192.0.2.1')).toBe('192.0.2.1')
    expect(ipKey('::ffff:192.0.2.2')).toBe('192.0.2.2')
  })

  it.each([
    ['2001:db8:1:2::1', '2001:db8:1::/56'],
    ['2001:db8:1:2::6', '2001:db8:1::/56'],
    ['2001:DB8:0001:00ff:ffff:ffff:ffff:ffff', '2001:db8:1::/56'],
    ['2001:db8:1:100::1', '2001:db8:1:100::/56'],
    ['2001:db8:ffff::1', '2001:db8:ffff::/56'],
    ['::', '::/56'],
    ['::2', '::/56'],
  ])('groups IPv6 by 56 bits: %s', (address, key) => {
    expect(ipKey(address)).toBe(key)
  })

  it.each([
    [32, '2001:db8::/32'],
    [48, '2001:db8:a1b2::/48'],
    [56, '2001:db8:a1b2:c300::/56'],
    [63, '2001:db8:a1b2:c3d4::/63'],
    [64, '2001:db8:a1b2:c3d5::/64'],
    [127, '2001:db8:a1b2:c3d5::9:a/127'],
    [128, '2001:db8:a1b2:c3d5::9:b'],
  ])('groups by the prefix that is given: %i', (prefix, key) => {
    expect(ipKey('2001:db8:a1b2:c3d5::9:b', prefix)).toBe(key)
  })

  it('never groups IPv4', () => {
    expect(ipKey('203.0.113.9', 32)).toBe('203.0.113.9')
  })

  it.each([
    [56, 1],
    [64, 256],
  ])('gives a /56 of 100,000 addresses at prefix %i so many keys: %i', (prefix, count) => {
    const keys = new Set<string>()
    for (let i = 0; i < 100_000; i++) {
      const low = ((i * 2_654_435_761) % 2 ** 32).toString(16).padStart(8, '0')
      keys.add(
        ipKey(
          `2001:db8:1:2${(i & 0xff).toString(16).padStart(2, '0')}::${low.slice(0, 4)}:${low.slice(4)}`,
          prefix,
        ),
      )
    }
    expect(keys.size).toBe(count)
  })

  it.each(['2001:db8:1:2::1.2.3.4', '2001:db8:1:2::102:304'])(
    'goes by the prefix where an address only ends in dotted form: %s',
    (address) => {
      expect(ipKey(address)).toBe('2001:db8:1::/56')
    },
  )

  it.each(['fe80::1', 'fe80::1%eth0', 'fe80::1%25eth0', 'FE80:0::1%br-0.5'])(
    'drops the zone of a link-local address: %s',
    (address) => {
      expect(ipKey(address, 128)).toBe('fe80::1')
    },
  )

  it.each([
    ['NAT64', '64:ff9b::1.2.3.4', '64:ff9b::/56'],
    ['NAT64', '64:FF9B::102:304', '64:ff9b::/56'],
    ['NAT64, local', '64:ff9b:1::102:304', '64:ff9b:1::/56'],
    ['Teredo', '2001:0:4136:e378:8000:63bf:3fff:fdd2', '2001:0:4136:e300::/56'],
    ['IPv4-compatible', '::1.2.3.4', '::/56'],
    ['IPv4-compatible', '::102:304', '::/56'],
    ['IPv4-translated', '::ffff:0:1.2.3.4', '::/56'],
  ])('counts addresses that embed an IPv4 address by prefix: %s %s', (_kind, address, key) => {
    expect(ipKey(address)).toBe(key)
  })

  it.each([
    [56, '2002:102:304::/48'],
    [64, '2002:102:304::/48'],
    [128, '2002:102:304::/48'],
    [48, '2002:102:304::/48'],
    [32, '2002:102::/32'],
  ])('takes at most 48 bits of a 6to4 address, which are its IPv4 host: prefix %i', (prefix, key) => {
    expect(ipKey('2002:0102:0304:ffff::1', prefix)).toBe(key)
  })

  it.each(['::1', '0:0:0:0:0:0:0:1', '::0.0.0.1'])('keeps loopback for itself: %s', (address) => {
    expect(ipKey(address)).toBe('::1')
  })

  it.each([
    '01.2.3.4',
    '1.2.3.04',
    '127.1',
    '0x7f.1',
    '0x7f.0.0.1',
    '2130706433',
    '256.1.1.1',
    '１.2.3.4',
    '1.2.3',
    '1.2.3.4.5',
    '1.2.3.4.',
    '.1.2.3.4',
    '1..2.3',
    ' 1.2.3.4',
    '1.2.3.4\t',
    '1.2.3.4\0',
    '1.2.3.4:80',
    '1.2.3.4/24',
    '[::1]',
    ':',
    ':::',
    '1:::2',
    '::1::2',
    ':1:2:3:4:5:6:7',
    '1:2:3:4:5:6:7:',
    '1:2:3:4:5:6:7:8:9',
    '1:2:3:4:5:6:7::8',
    '1:2:3:4:5:6:7',
    '12345::',
    '00001::',
    'g::',
    '::ffff:01.2.3.4',
    '::ffff:1.2.3.256',
    '::1.2.3',
    '1:2:3:4:5:6:7:1.2.3.4',
    '::1%eth0',
    '::ffff:254.128.0.1%eth0',
    'fe80::1%',
    'fe80::1%a b',
    `fe80::1%${'x'.repeat(200)}`,
    '',
    'undefined',
    'unknown',
    undefined,
    null,
    16_909_060,
    ['1.2.3.4'],
    { toString: () => '1.2.3.4' },
    Symbol('1.2.3.4'),
  ])('throws for what is no address: %j', (address) => {
    expect(() => ipKey(address)).toThrow(expect.objectContaining({ code: 'RL_KEY' }))
  })

  it('names the value that is no address', () => {
    expect(() => ipKey('1.2.3.4:80')).toThrow(
      'ipKey: takes an IPv4 or IPv6 address, no port; got "1.2.3.4:80". Give what has none a key of its own.',
    )
  })

  it.each([31, 129, 56.5, Number.NaN, '64', null])('refuses a prefix that is none: %s', (prefix) => {
    expect(() => ipKey('::1', prefix as number)).toThrow(
      expect.objectContaining({ code: 'RL_CONFIG', message: expect.stringContaining('ipv6Prefix: ') }),
    )
  })

  it('keeps nothing alive of the text that an address was cut from', () => {
    setFlagsFromString('--expose-gc')
    const gc = runInNewContext('gc') as () => void
    const header = (i: number) =>
      Buffer.alloc(16_384, `2001:db8:${i.toString(16)}::a1b2:c3d4,203.0.113.1${i % 100},`)
    const keys: string[] = []
    gc()
    const before = process.memoryUsage().heapUsed
    for (let i = 0; i < 10_000; i++) {
      const [first = '', second = ''] = header(i).toString('latin1').split(',', 2)
      keys.push(ipKey(first, 128), ipKey(second))
    }
    gc()
    const grown = process.memoryUsage().heapUsed - before
    expect(keys).toHaveLength(20_000)
    expect(grown).toBeLessThan(8 * 2 ** 20)
  })
})

describe('ipText', () => {
  it.each([
    ['2001:DB8:0:0:1:0:0:1', '2001:db8::1:0:0:1'],
    ['2001:db8:0:1:1:1:1:1', '2001:db8:0:1:1:1:1:1'],
    ['1:0:0:2:0:0:0:3', '1:0:0:2::3'],
    ['0:0:0:0:0:0:0:0', '::'],
    ['1:0:0:0:0:0:0:0', '1::'],
    ['::ffff:cb00:7109', '203.0.113.9'],
  ])('is the canonical spelling: %s', (address, text) => {
    expect(ipText(parseIp(address)!)).toBe(text)
  })
})
