import { BlockList, isIP } from 'node:net'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ipRanges } from '../../packages/core/src/http/cidr.js'
import { clientAddress } from '../../packages/core/src/http/client-address.js'
import { forwardedNodes, listNodes, parseNode } from '../../packages/core/src/http/forwarded.js'
import { ipKey, ipText, parseIp } from '../../packages/core/src/http/ip-address.js'
import { NO_ADDRESS } from '../../packages/core/src/http/peer-address.js'

// `node:net` is the oracle. It differs on purpose in two things, which `expectedFamily` lists.

/** What `parseIp` should say of a text, by `node:net`. */
function expectedFamily(text: string): 0 | 4 | 6 {
  const [address = '', ...zone] = text.split('%')
  // Longer than any address with a zone that we take.
  if (text.length > 64) return 0
  // A zone, which Node takes behind every IPv6 address, says something for link-local ones alone.
  if (zone.length > 0 && !(/^fe[89ab][\da-f]:/i.test(address) && /^[\w.:~-]+$/.test(zone.join('%')))) return 0
  const family = isIP(address)
  return family === 6 && mappedTo(address) !== undefined ? 4 : (family as 0 | 4 | 6)
}

/** The canonical text of a valid address without a zone, by the URL parser. */
function expectedText(address: string): string {
  if (isIP(address) === 4) return address
  return mappedTo(address) ?? urlText(address)
}

function urlText(address: string): string {
  return new URL(`http://[${address}]`).hostname.slice(1, -1)
}

function mappedTo(address: string): string | undefined {
  const [, high, low] = /^::ffff:([\da-f]+):([\da-f]+)$/.exec(urlText(address)) ?? []
  if (high === undefined || low === undefined) return undefined
  const bits = Number.parseInt(high, 16) * 65_536 + Number.parseInt(low, 16)
  return [24, 16, 8, 0].map((shift) => (bits >>> shift) & 0xff).join('.')
}

const byte = fc.oneof(fc.constantFrom(0, 1, 0x80, 0xff), fc.nat(255))
const group = fc.oneof(
  { weight: 3, arbitrary: fc.constant(0) },
  fc.constantFrom(1, 0xffff, 0xfe80, 0x2001, 0x2002, 0x64, 0xff9b),
  fc.nat(0xffff),
)
const heads = [
  [],
  [0xfe80],
  [0xfebf],
  [0x2002],
  [0x64, 0xff9b, 0, 0, 0, 0],
  [0, 0, 0, 0, 0, 0xffff],
  [0, 0, 0, 0, 0xffff, 0],
]
const groups = fc
  .tuple(fc.constantFrom(...heads), fc.array(group, { minLength: 8, maxLength: 8 }))
  .map(([head, rest]) => [...head, ...rest].slice(0, 8))
const ipv4 = fc.array(byte, { minLength: 4, maxLength: 4 }).map((bytes) => bytes.join('.'))

/** One of the many spellings of an IPv6 address. */
const ipv6 = fc
  .record({
    groups,
    width: fc.constantFrom(1, 1, 4),
    upper: fc.boolean(),
    dotted: fc.boolean(),
    compressed: fc.nat(7),
  })
  .map(spell)

interface Spelling {
  readonly groups: readonly number[]
  readonly width: number
  readonly upper: boolean
  readonly dotted: boolean
  /** Where a run of zeros to compress is looked for. */
  readonly compressed: number
}

function spell({ groups, width, upper, dotted, compressed }: Spelling): string {
  const words = groups.map((word) => word.toString(16).padStart(width, '0'))
  const tail = groups.slice(6).flatMap((word) => [word >> 8, word & 0xff])
  const parts = dotted ? [...words.slice(0, 6), tail.join('.')] : words
  const last = dotted ? 6 : 8
  let end = compressed
  while (end < last && groups[end] === 0) end++
  const text =
    end > compressed
      ? `${parts.slice(0, compressed).join(':')}::${parts.slice(end).join(':')}`
      : parts.join(':')
  return upper ? text.toUpperCase() : text
}

const zone = fc.oneof(
  { weight: 6, arbitrary: fc.constant('') },
  fc.constantFrom('%eth0', '%25eth0', '%', '%1', '%a%b', '%a b', '%-', `%${'z'.repeat(60)}`),
)
const address = fc.oneof(
  ipv4,
  fc.tuple(ipv6, zone).map(([text, suffix]) => text + suffix),
)

/** What is nearly an address: one with a few characters put in, taken out or changed, or noise of such characters. */
const noise = fc.string({
  unit: fc.constantFrom(...'0123456789abcdefABCDEFxg:.%[]/ \t\0"é１'),
  maxLength: 50,
})
const edit = fc.record({
  at: fc.nat(60),
  drop: fc.nat(2),
  put: fc.oneof(
    fc.constant(''),
    noise.map((s) => s.slice(0, 2)),
  ),
})
const nearly = fc
  .tuple(address, fc.array(edit, { maxLength: 3 }))
  .map(([text, edits]) =>
    edits.reduce((now, { at, drop, put }) => now.slice(0, at) + put + now.slice(at + drop), text),
  )
const text = fc.oneof({ weight: 3, arbitrary: nearly }, { weight: 2, arbitrary: address }, noise)

describe('parseIp', () => {
  it('takes what node:net takes, and nothing else', () => {
    fc.assert(
      fc.property(text, (spelled) => {
        expect(parseIp(spelled)?.family ?? 0).toBe(expectedFamily(spelled))
      }),
      { numRuns: 30_000 },
    )
  })

  it('reads the same bits as node:net, in every spelling', () => {
    fc.assert(
      fc.property(address, (spelled) => {
        fc.pre(expectedFamily(spelled) !== 0)
        const plain = spelled.split('%')[0]!
        const ours = ipText(parseIp(spelled)!)
        expect(ours).toBe(expectedText(plain))
        expect(only(plain).check(ours, kindOf(ours))).toBe(true)
        expect(only(ours).check(plain, kindOf(plain))).toBe(true)
      }),
      { numRuns: 10_000 },
    )
  })

  it('gives a key that is canonical, and an address of the network that it names', () => {
    fc.assert(
      fc.property(address, fc.integer({ min: 32, max: 128 }), (spelled, prefix) => {
        fc.pre(expectedFamily(spelled) !== 0)
        const ip = parseIp(spelled)!
        const key = ipKey(spelled, prefix)
        const network = key.split('/')[0]!
        expect(ipText(parseIp(network)!)).toBe(network)
        expect(ipRanges(key, 'key').matches(ip)).toBe(true)
        expect(ipKey(ipText(ip), prefix)).toBe(key)
        expect(ipKey(network, prefix)).toBe(key)
      }),
      { numRuns: 5000 },
    )
  })
})

function kindOf(plain: string): 'ipv4' | 'ipv6' {
  return isIP(plain) === 4 ? 'ipv4' : 'ipv6'
}

function only(plain: string): BlockList {
  const list = new BlockList()
  list.addAddress(plain, kindOf(plain))
  return list
}

const range = fc.record({
  network: groups,
  prefix: fc.nat(128),
  /** The bit in which an address differs from the network; none at 128. */
  flipped: fc.nat(128),
  /** Whether mapped addresses are written as IPv4. */
  plain: fc.tuple(fc.boolean(), fc.boolean()),
})

describe('ipRanges', () => {
  it('matches what net.BlockList matches, but no IPv4 address by a range that is wider than IPv4', () => {
    fc.assert(
      fc.property(range, ({ network, prefix, flipped, plain }) => {
        const near = network.map((word, i) => (flipped >> 4 === i ? word ^ (0x8000 >> (flipped & 15)) : word))
        const isWide = prefix < 96
        const cidr = plain[0] && !isWide ? (mappedTo(full(network)) ?? full(network)) : full(network)
        const bits = isIP(cidr) === 4 ? prefix - 96 : prefix
        const member = plain[1] ? (mappedTo(full(near)) ?? full(near)) : full(near)
        const list = new BlockList()
        list.addSubnet(cidr, bits, kindOf(cidr))
        const expected = list.check(member, kindOf(member)) && !(isWide && mappedTo(full(near)) !== undefined)
        expect(ipRanges([`${cidr}/${bits}`], 'allow').matches(parseIp(member)!)).toBe(expected)
      }),
      { numRuns: 10_000 },
    )
  })
})

function full(words: readonly number[]): string {
  return words.map((word) => word.toString(16)).join(':')
}

const pieces = [
  ...',;="\\[]: \t1f._é',
  'for=',
  'FOR="',
  'for=10.0.0.1',
  'for="[2001:db8::1]:80"',
  '10.0.0.2',
  'proto=http',
]
const junk = fc.string({ unit: fc.constantFrom(...pieces), maxLength: 40 })
const token = fc.string({ unit: fc.constantFrom(...'0123456789abz._-'), minLength: 1, maxLength: 20 })
const quotable = fc.string({ unit: fc.constantFrom(...'019a:[]., ;="\\_'), minLength: 1, maxLength: 20 })
const blanks = fc.constantFrom('', '', ' ', '\t ')

/** A well-formed element and its node. */
const element = fc
  .record({
    node: fc.oneof(token, quotable),
    name: fc.constantFrom('for', 'For', 'FOR'),
    before: fc.constantFrom('', 'proto=https;', 'host="a, for=6.6.6.6;\\"b";', ';', 'by=_x ; '),
    after: fc.constantFrom('', ';', ';proto=http', '; host="c,d"'),
    pad: fc.tuple(blanks, blanks),
  })
  .map(({ node, name, before, after, pad: [left, right] }) => {
    const value = /^[\w.-]+$/.test(node) ? node : `"${node.replace(/["\\]/g, '\\$&')}"`
    return { node, text: `${left}${before}${name}=${value}${after}${right}` }
  })

describe('forwardedNodes', () => {
  it('gives the nodes of a well-formed header from right to left', () => {
    fc.assert(
      fc.property(fc.array(element, { maxLength: 10 }), (elements) => {
        const header = elements.map((one) => one.text).join(',')
        expect([...forwardedNodes(header)]).toEqual(elements.map((one) => one.node).reverse())
      }),
      { numRuns: 3000 },
    )
  })

  it('reads first what the last proxy appended, whatever a client wrote before it', () => {
    fc.assert(
      fc.property(junk, element, (before, { node, text: appended }) => {
        expect(forwardedNodes(`${before},${appended}`).next().value).toBe(node)
      }),
      { numRuns: 5000 },
    )
  })

  it('gives of any text at most 64 nodes, an invalid one last, and never throws', () => {
    fc.assert(
      fc.property(
        fc.oneof(junk, fc.string({ unit: 'binary' })),
        fc.integer({ min: 1, max: 50 }),
        (piece, times) => {
          const nodes = [...forwardedNodes(piece.repeat(times))]
          expect(nodes.length).toBeLessThanOrEqual(64)
          expect(nodes.slice(0, -1)).not.toContain('')
        },
      ),
      { numRuns: 3000 },
    )
  })
})

describe('listNodes', () => {
  it('gives what splitting the header and turning it round gives', () => {
    fc.assert(
      fc.property(junk, fc.integer({ min: 1, max: 20 }), (piece, times) => {
        const header = piece.repeat(times)
        const entries = header.split(',').reverse().slice(0, 64)
        const expected = entries
          .map((entry) => entry.replace(/^[ \t]+|[ \t]+$/g, ''))
          .filter((entry) => entry !== '')
        expect([...listNodes(header)]).toEqual(expected)
      }),
      { numRuns: 3000 },
    )
  })
})

describe('the readers of forwarding headers', () => {
  const read = (header: string) => [...listNodes(header), ...forwardedNodes(header)].map(parseNode)
  const known = [
    '\\"',
    '"\\',
    '",',
    '",\\',
    'a=a;',
    'for="\\"",',
    'for=10.0.0.1,',
    '10.0.0.1,',
    '[:',
    ' ,',
    '1:',
    ' ;',
    'a',
  ]

  it('take time in proportion to the length of the header at most', () => {
    fc.assert(
      fc.property(fc.oneof(fc.constantFrom(...known, ...pieces), junk), (piece) => {
        fc.pre(piece !== '')
        const [short, long] = [16_384, 16 * 16_384].map((length) =>
          fastest(() => read(''.padEnd(length, piece))),
        )
        // 16 times the length: 16 times the work, or 256 times if some step went over the header for each character.
        expect(long).toBeLessThan(48 * Math.max(short!, 0.05))
      }),
      { numRuns: 200, examples: known.map((piece) => [piece]) },
    )
  })
})

/** Milliseconds of the fastest of a few runs, which is the one that nothing else got in the way of. */
function fastest(work: () => void): number {
  const times = Array.from({ length: 4 }, () => {
    const start = performance.now()
    work()
    return performance.now() - start
  })
  return Math.min(...times)
}

describe('clientAddress', () => {
  const logger = { warn: () => {}, error: () => {} }
  const trusts = [undefined, ['10.0.0.0/8', '2001:db8::/32'], { hops: 3, peers: ['10.0.0.0/8'] }]
  const headers = [undefined, 'forwarded', 'x-real-ip']
  const resolvers = trusts.flatMap((trust) =>
    (trust === undefined ? [undefined] : headers).map((header) => clientAddress({ trust, header, logger })),
  )

  it('gives nothing but canonical keys, whatever comes over the wire', () => {
    const value = fc.oneof(
      junk,
      address,
      fc.array(fc.oneof(nearly, ipv4), { maxLength: 5 }).map((list) => list.join(', ')),
    )
    fc.assert(
      fc.property(
        fc.oneof(fc.constantFrom('10.0.0.2', '::ffff:10.0.0.2'), address, junk),
        value,
        (peer, header) => {
          const view = { method: 'GET', peer, route: undefined, header: () => header, carrier: {} }
          const keys = resolvers.map((resolve) => resolve(view))
          expect(keys).toEqual(keys.map((key) => (key === NO_ADDRESS ? key : ipKey(key.split('/')[0]))))
        },
      ),
      { numRuns: 3000 },
    )
  })
})
