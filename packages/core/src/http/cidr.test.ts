import { describe, expect, it } from 'vitest'
import { ipRanges } from './cidr.js'
import { parseIp } from './ip-address.js'

const matches = (list: string | readonly string[], address: string) =>
  ipRanges(list, 'allow').matches(parseIp(address)!)

describe('ipRanges', () => {
  it.each([
    ['2001:db8:0:0::1', true],
    ['2001:DB8::0001', true],
    ['::ffff:10.1.1.1', true],
    ['::ffff:a01:101', true],
    ['10.255.255.255', true],
    ['11.0.0.0', false],
    ['9.255.255.255', false],
    ['2001:db8::2', false],
  ])('matches by bits, whatever the spelling: %s is %s', (address, expected) => {
    expect(matches(['2001:0DB8::1', '10.0.0.0/8'], address)).toBe(expected)
  })

  it.each([
    ['loopback', '127.0.0.1', true],
    ['loopback', '127.255.255.255', true],
    ['loopback', '::1', true],
    ['loopback', '::2', false],
    ['loopback', '128.0.0.1', false],
    ['private', '10.0.0.1', true],
    ['private', '172.15.255.255', false],
    ['private', '172.16.0.1', true],
    ['private', '172.31.255.255', true],
    ['private', '172.32.0.1', false],
    ['private', '192.168.255.1', true],
    ['private', '192.169.0.1', false],
    ['private', 'fd00::1', true],
    ['private', 'fe00::1', false],
    ['linklocal', '169.254.169.254', true],
    ['linklocal', 'fe80::1%eth0', true],
    ['linklocal', 'febf::1', true],
    ['linklocal', 'fec0::1', false],
  ])('knows the set %s: %s is %s', (name, address, expected) => {
    expect(matches(name, address)).toBe(expected)
  })

  it.each([
    ['203.0.113.64/26', '203.0.113.127', true],
    ['203.0.113.64/26', '203.0.113.128', false],
    ['203.0.113.77/26', '203.0.113.64', true],
    ['203.0.113.9/32', '203.0.113.9', true],
    ['203.0.113.9/32', '203.0.113.8', false],
    ['0.0.0.0/0', '255.255.255.255', true],
    ['2001:db8::/33', '2001:db8:7fff::', true],
    ['2001:db8::/33', '2001:db8:8000::', false],
    ['2001:db8::1/128', '2001:db8::1', true],
    ['2001:db8::1/128', '2001:db8::', false],
  ])('takes the leading bits of %s: %s is %s', (range, address, expected) => {
    expect(matches(range, address)).toBe(expected)
  })

  it.each([
    ['::/0', '203.0.113.9', false],
    ['::/0', '2001:db8::1', true],
    ['::/80', '203.0.113.9', false],
    ['::ffff:0:0/95', '203.0.113.9', false],
    ['::ffff:0:0/95', '::fffe:0:1', true],
    ['::ffff:0:0/96', '203.0.113.9', true],
    ['::ffff:0:0/96', '2001:db8::1', false],
    ['::ffff:10.0.0.0/104', '10.9.9.9', true],
    ['::ffff:10.0.0.0/104', '11.0.0.0', false],
    ['::ffff:10.0.0.1', '10.0.0.1', true],
    ['0.0.0.0/0', '2001:db8::1', false],
  ])(
    'keeps the families apart, save for ranges of mapped addresses: %s, %s is %s',
    (range, address, expected) => {
      expect(matches(range, address)).toBe(expected)
    },
  )

  it('names the entries that match a whole family', () => {
    expect(ipRanges(['10.0.0.0/8', '::/0', '::ffff:0:0/96', '0.0.0.0/1'], 'allow').boundless).toEqual([
      '::/0',
      '::ffff:0:0/96',
    ])
  })

  it('matches nothing when it is empty', () => {
    expect(matches([], '127.0.0.1')).toBe(false)
  })

  it.each([
    'not-an-ip',
    '10.0.0.0/33',
    '2001:db8::/129',
    '10.0.0.0/08',
    '10.0.0.0/-1',
    '10.0.0.0/',
    '10.0.0.0/8/8',
    '10.0.0.0/255.0.0.0',
    '10.0.0.0/8, 192.168.0.0/16',
    ' 10.0.0.0/8',
    '10.0.0/8',
    '010.0.0.0/8',
    '*',
    'localhost',
    'constructor',
    '',
  ])('throws for an entry that is none, naming option and entry: %j', (entry) => {
    expect(() => ipRanges(['127.0.0.1', entry], 'allow')).toThrow(
      expect.objectContaining({
        code: 'RL_CONFIG',
        message:
          'allow: takes addresses, ranges such as "10.0.0.0/8" or "2001:db8::/32", and loopback, private, linklocal; ' +
          `several of them as an array; got ${JSON.stringify(entry)}`,
      }),
    )
  })

  it.each([undefined, null, 10, true, {}, [['10.0.0.0/8']]])('throws for what is no text: %j', (entry) => {
    expect(() => ipRanges(entry, 'allow')).toThrow(expect.objectContaining({ code: 'RL_CONFIG' }))
  })
})
