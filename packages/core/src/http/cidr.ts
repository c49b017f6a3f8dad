import { configError } from '../model/errors.js'
import { type IpAddress, MAPPED, parseIp } from './ip-address.js'

/** A set of addresses, compared as bits: neither the spelling of an entry nor that of an address matters. */
export interface IpRanges {
  matches(address: IpAddress): boolean
  /** Entries that match every address of a family. */
  readonly boundless: readonly string[]
}

/**
 * Ranges from addresses (`10.1.2.3`), CIDR ranges (`2001:db8::/32`) and the named sets `loopback`, `private` and
 * `linklocal`. An IPv6 range never matches an IPv4 address, unless it is one of mapped addresses, `::ffff:0:0/96` or
 * longer, which is an IPv4 range.
 * @throws RateLimitError `RL_CONFIG` naming `option` and the entry.
 */
export function ipRanges(list: unknown, option: string): IpRanges {
  const entries: readonly unknown[] = Array.isArray(list) ? list : [list]
  const ranges: Range[] = []
  const boundless: string[] = []
  for (const entry of entries) {
    const added = toRanges(entry, option)
    if (added.some((range) => range.bits === 0)) boundless.push(entry as string)
    ranges.push(...added)
  }
  return { matches: matcher(ranges), boundless }
}

interface Range {
  readonly network: IpAddress
  /** How many leading bits an address has in common with the network. */
  readonly bits: number
}

const NAMED: Readonly<Record<string, readonly string[]>> = {
  loopback: ['127.0.0.0/8', '::1'],
  private: ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', 'fc00::/7'],
  linklocal: ['169.254.0.0/16', 'fe80::/10'],
}

function toRanges(entry: unknown, option: string): readonly Range[] {
  const named = typeof entry === 'string' && Object.hasOwn(NAMED, entry) ? NAMED[entry] : undefined
  return (named ?? [entry]).map((text) => toRange(text, option))
}

function toRange(entry: unknown, option: string): Range {
  const range = typeof entry === 'string' ? parseRange(entry) : undefined
  if (range !== undefined) return range
  throw configError(
    option,
    entry,
    `takes addresses, ranges such as "10.0.0.0/8" or "2001:db8::/32", and ${Object.keys(NAMED).join(', ')}; ` +
      'several of them as an array',
  )
}

function parseRange(text: string): Range | undefined {
  const slash = text.indexOf('/')
  const spelled = slash < 0 ? text : text.slice(0, slash)
  const network = parseIp(spelled)
  const width = spelled.includes(':') ? 128 : 32
  const bits = slash < 0 ? width : parseBits(text.slice(slash + 1), width)
  if (network === undefined || bits === undefined) return undefined
  if (network.family === 6 || width === 32) return { network, bits }
  // Written as mapped. A range that reaches beyond those is one of IPv6 and needs its 16 bytes back.
  if (bits >= 96) return { network, bits: bits - 96 }
  return { network: { family: 6, bytes: [...MAPPED, ...network.bytes] }, bits }
}

function parseBits(text: string, width: number): number | undefined {
  if (!/^(?:0|[1-9]\d{0,2})$/.test(text)) return undefined
  const bits = Number(text)
  return bits <= width ? bits : undefined
}

/** The networks of one length, as leading bits. */
interface Networks {
  readonly bits: number
  readonly heads: Set<number | string>
}

/** Ranges by their length: a list of ten thousand asks one set for each of the few lengths in it. */
function matcher(ranges: readonly Range[]): IpRanges['matches'] {
  const [ipv4, ipv6]: [Networks[], Networks[]] = [[], []]
  for (const { network, bits } of ranges) {
    const family = network.family === 4 ? ipv4 : ipv6
    const found = family.find((networks) => networks.bits === bits)
    if (found === undefined) family.push({ bits, heads: new Set([headOf(network, bits)]) })
    else found.heads.add(headOf(network, bits))
  }
  return (address) => {
    for (const { bits, heads } of address.family === 4 ? ipv4 : ipv6)
      if (heads.has(headOf(address, bits))) return true
    return false
  }
}

/** The leading bits of an address: a number for IPv4, else packed 16 to a character. */
function headOf({ family, bytes }: IpAddress, bits: number): number | string {
  if (bits === 0) return 0
  if (family === 4)
    return ((bytes[0]! << 24) | (bytes[1]! << 16) | (bytes[2]! << 8) | bytes[3]!) >>> (32 - bits)
  let head = ''
  for (let i = 0; 8 * i < bits; i += 2)
    head += String.fromCharCode(((bytes[i]! << 8) | bytes[i + 1]!) >> Math.max(0, 8 * i + 16 - bits))
  return head
}
