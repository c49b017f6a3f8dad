import { describe, expect, it } from 'vitest'
import { parseIp } from './ip-address.js'
import { type Trust, toTrust } from './trust.js'

function trusting(trust: unknown) {
  const warnings: string[] = []
  const test = toTrust(trust, {
    warn: (message) => warnings.push(message),
    error: (message) => warnings.push(message),
  })
  return { warnings, trusts: (address: string, hop: number) => test(parseIp(address)!, hop) }
}

describe('toTrust', () => {
  it.each<[Trust, string, boolean]>([
    ['loopback', '127.0.0.1', true],
    ['10.0.0.0/8', '10.1.2.3', true],
    [['10.0.0.0/8', '2001:db8::1'], '2001:DB8::1', true],
    [['10.0.0.0/8', '2001:db8::1'], '203.0.113.9', false],
    [[], '127.0.0.1', false],
  ])('trusts the addresses of %j at any hop: %s is %s', (trust, address, expected) => {
    const { trusts } = trusting(trust)
    expect([trusts(address, 0), trusts(address, 5)]).toEqual([expected, expected])
  })

  it('believes a count of hops only behind the peers that are named', () => {
    const { trusts } = trusting({ hops: 2, peers: ['10.0.0.0/8'] })
    expect(trusts('10.0.0.1', 0)).toBe(true)
    expect(trusts('203.0.113.9', 0)).toBe(false)
    expect(trusts('203.0.113.9', 1)).toBe(true)
    expect(trusts('10.0.0.1', 2)).toBe(false)
  })

  it.each([
    [['not-an-ip'], 'trust: takes addresses, ranges'],
    ['10.0.0.0/33', 'trust: takes addresses, ranges'],
    [{ hops: 1, peers: ['nowhere'] }, 'trust.peers: takes addresses, ranges'],
    [{ hops: 1 }, 'trust.peers: takes addresses, ranges'],
    [{ hops: 0, peers: 'private' }, 'trust.hops: must be a whole number from 1 to 64; got 0'],
    [{ hops: 65, peers: 'private' }, 'trust.hops: must be a whole number from 1 to 64; got 65'],
    [{ hops: 1.5, peers: 'private' }, 'trust.hops: must be a whole number from 1 to 64; got 1.5'],
    [{ peers: 'private' }, 'trust.hops: must be a whole number from 1 to 64; got undefined'],
    [{ hops: 1, peer: 'private' }, 'trust: there is no option "peer". Did you mean "peers"?'],
    [true, 'trust: can’t be true: anyone can write the header.'],
    [
      1,
      'trust: can’t be a number alone: a count does not tell a proxy from a client that connects directly.',
    ],
    [0, 'trust: can’t be a number alone'],
    [false, 'trust: takes addresses and ranges, such as ["10.0.0.0/8"], or { hops, peers }; leave it out'],
    [null, 'trust: takes addresses and ranges'],
    [() => true, 'trust: takes addresses and ranges'],
  ])('refuses %j with advice', (trust, message) => {
    expect(() => trusting(trust)).toThrow(
      expect.objectContaining({ code: 'RL_CONFIG', message: expect.stringContaining(message) }),
    )
  })

  it.each([
    ['0.0.0.0/0', 'trust: "0.0.0.0/0" trusts'],
    ['::/0', 'trust: "::/0" trusts'],
    [['::ffff:0:0/96', '10.0.0.0/8'], 'trust: "::ffff:0:0/96" trusts'],
    [['0.0.0.0/0', '::/0'], 'trust: "0.0.0.0/0" and "::/0" trusts'],
    [{ hops: 1, peers: ['0.0.0.0/0'] }, 'trust.peers: "0.0.0.0/0" trusts'],
  ])('accepts %j with one warning', (trust, begin) => {
    expect(trusting(trust).warnings).toEqual([
      `${begin} every address of its kind, so whoever reaches this app can write its own client address. ` +
        'Name the addresses of your proxies.',
    ])
  })
})
