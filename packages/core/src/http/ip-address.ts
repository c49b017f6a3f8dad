import ipaddr from 'ipaddr.js'
import { configError, RateLimitError, show } from '../model/errors.js'

/** An address as bits, so that its spelling does not matter. A mapped one (`::ffff:1.2.3.4`) is the IPv4 address. */
export interface IpAddress {
  readonly family: 4 | 6
  /** 4 or 16 whole numbers from 0 to 255. */
  readonly bytes: readonly number[]
}

/** An IPv6 address has 45 characters at most; the others are for a zone. */
const MAX_LENGTH = 64

/**
 * The address that a text spells, or `undefined`. No blanks, brackets or ports; IPv4 is four decimal parts without
 * leading zeros. A zone stands behind link-local addresses only and is dropped: it names our interface, not a client.
 */
export function parseIp(text: unknown): IpAddress | undefined {
  if (typeof text !== 'string' || text.length > MAX_LENGTH) return undefined
  if (!text.includes(':')) return parseIpv4(text, 0)
  // `::ffff:1.2.3.4` is what a dual-stack listener shows for an IPv4 client, so it is worth a short way.
  return (text.startsWith('::ffff:') ? parseIpv4(text, 7) : undefined) ?? parseIpv6(text)
}

/**
 * The text under which an address is counted: `203.0.113.9`, or for IPv6 its network, `2001:db8:1::/56`, because a
 * subscriber owns a whole one. With `prefix` 128 (32 to 128) it is the address alone; `::1` always is. 6to4 addresses
 * are grouped by 48 bits at most, one IPv4 host. Other forms that embed an IPv4 address (NAT64, Teredo,
 * IPv4-compatible, IPv4-translated) go by the prefix.
 * @throws RateLimitError `RL_KEY` for what is no address, `RL_CONFIG` for what is no prefix.
 */
export function ipKey(address: unknown, prefix = 56): string {
  const ip = parseIp(address)
  if (ip !== undefined) return keyOf(ip, checkPrefix(prefix))
  throw new RateLimitError(
    'RL_KEY',
    `ipKey: takes an IPv4 or IPv6 address, no port; got ${show(address)}. Give what has none a key of its own.`,
  )
}

/** `ipKey` of what is known to be an address and a prefix. */
export function keyOf({ family, bytes }: IpAddress, prefix: number): string {
  if (family === 4) return dotted(bytes)
  if (begins(bytes, LOOPBACK)) return '::1'
  const bits = begins(bytes, SIX_TO_FOUR) ? Math.min(prefix, 48) : prefix
  return bits === 128 ? ipv6Text(bytes, 128) : `${ipv6Text(bytes, bits)}/${bits}`
}

/** An address in its canonical spelling (RFC 5952; forms that embed an IPv4 address in hex too). */
export function ipText({ family, bytes }: IpAddress): string {
  return family === 4 ? dotted(bytes) : ipv6Text(bytes, 128)
}

/** Checks the option `ipv6Prefix`. @throws RateLimitError `RL_CONFIG` */
export function checkPrefix(prefix: unknown): number {
  if (typeof prefix === 'number' && Number.isInteger(prefix) && prefix >= 32 && prefix <= 128) return prefix
  throw configError('ipv6Prefix', prefix, 'must be a whole number from 32 to 128 (no grouping)')
}

const ZERO = 48
const DOT = 46 - ZERO

function parseIpv4(text: string, start: number): IpAddress | undefined {
  let [before, dots, part] = [0, 0, -1]
  for (let i = start; i < text.length; i++) {
    const digit = text.charCodeAt(i) - ZERO
    if (digit === DOT) {
      if (part < 0 || dots++ === 3) return undefined
      before = (before << 8) | part
      part = -1
      continue
    }
    // Nothing follows a part that begins with 0: `010` is 10 to some and 8 to others.
    if (digit < 0 || digit > 9 || part === 0) return undefined
    part = part < 0 ? digit : part * 10 + digit
    if (part > 255) return undefined
  }
  if (part < 0 || dots < 3) return undefined
  return { family: 4, bytes: [before >> 16, (before >> 8) & 0xff, before & 0xff, part] }
}

const GROUPS = /^(?:[\da-f]{0,4}:){2,8}[\da-f]{0,4}$/i
const ZONE = /^%[\w.:~-]+$/

function parseIpv6(text: string): IpAddress | undefined {
  const zone = text.indexOf('%')
  if (zone < 0) return parseGroups(text)
  const ip = parseGroups(text.slice(0, zone))
  return ip !== undefined && isLinkLocal(ip) && ZONE.test(text.slice(zone)) ? ip : undefined
}

function parseGroups(text: string): IpAddress | undefined {
  const groups = withoutDots(text)
  if (!GROUPS.test(groups)) return undefined
  try {
    const bytes = ipaddr.IPv6.parse(groups).toByteArray()
    return begins(bytes, MAPPED) ? { family: 4, bytes: bytes.slice(12) } : { family: 6, bytes }
  } catch {
    return undefined // Too many groups or too few; to ask `isValid` first would be to parse twice.
  }
}

/** Spells a dotted tail in hex: ipaddr.js would read octal there, and take `::1.2.3.4` for a mapped address. */
function withoutDots(text: string): string {
  if (!text.includes('.')) return text
  const start = text.lastIndexOf(':') + 1
  const tail = parseIpv4(text, start)
  return tail === undefined ? '' : `${text.slice(0, start)}${hexWords(tail.bytes, 32).join(':')}`
}

/** How IPv4-mapped addresses begin. */
export const MAPPED: readonly number[] = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff]
const LOOPBACK: readonly number[] = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1]
const SIX_TO_FOUR: readonly number[] = [0x20, 0x02]

function begins(bytes: readonly number[], head: readonly number[]): boolean {
  return head.every((byte, i) => byte === bytes[i])
}

function isLinkLocal({ family, bytes }: IpAddress): boolean {
  return family === 6 && bytes[0] === 0xfe && (bytes[1]! & 0xc0) === 0x80
}

// Keys are put together from numbers. A slice of the input would keep all of a 16 KiB header alive with it.
function dotted(bytes: readonly number[]): string {
  return `${bytes[0]}.${bytes[1]}.${bytes[2]}.${bytes[3]}`
}

/** Compresses the longest run of zeros, the leftmost of several. */
function ipv6Text(bytes: readonly number[], bits: number): string {
  const words = hexWords(bytes, bits)
  let [from, to, start] = [0, 0, 0]
  for (let i = 0; i <= words.length; i++) {
    if (words[i] === '0') continue
    if (i - start > to - from) [from, to] = [start, i]
    start = i + 1
  }
  if (to - from < 2) return words.join(':')
  return `${words.slice(0, from).join(':')}::${words.slice(to).join(':')}`
}

/** 16 bits each in hex, those behind the first `bits` cleared. */
function hexWords(bytes: readonly number[], bits: number): string[] {
  const words: string[] = []
  for (let i = 0; i < bytes.length; i += 2) {
    const cleared = Math.min(16, Math.max(0, 8 * i + 16 - bits))
    words.push(((((bytes[i]! << 8) | bytes[i + 1]!) >> cleared) << cleared).toString(16))
  }
  return words
}
