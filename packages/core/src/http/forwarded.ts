import { type IpAddress, parseIp } from './ip-address.js'
import { MAX_HOPS } from './trust.js'

/** Longer entries are no addresses. */
const MAX_NODE = 64

/** Room for the four parameters of an element; more is no element. */
const MAX_ELEMENT = 1024

/**
 * The entries of an `X-Forwarded-For`, from right to left: the last one is the only one that our own proxy wrote.
 * At most 64, empty ones counted and left out.
 */
export function* listNodes(header: string): Generator<string> {
  let end = header.length
  for (let seen = 0; seen < MAX_HOPS && end > 0; seen++) {
    const comma = header.lastIndexOf(',', end - 1)
    const node = trimmed(header, comma + 1, end)
    if (node !== '') yield node
    end = comma
  }
}

/**
 * The `for` nodes of a `Forwarded` (RFC 7239) from right to left, unquoted, at most 64, empty elements counted and
 * left out. The first element that can't be read, or has no `for`, gives `''` and is the last: what stands to its left
 * has no known place. Read from the right, a quote that a client left open can't swallow what a proxy appended.
 */
export function* forwardedNodes(header: string): Generator<string> {
  let end = header.length
  for (let seen = 0; seen < MAX_HOPS && end > 0; seen++) {
    const start = elementStart(header, end)
    const element = start === undefined ? undefined : trimmed(header, start, end)
    if (element !== '') {
      const node = element === undefined ? '' : nodeOf(element)
      yield node
      if (node === '') return
    }
    end = (start ?? 0) - 1
  }
}

const BRACKETED = /^\[([^\]]*:[^\]]*)\](?::(?:\d{1,5}|_[\w.-]+))?$/
const DOTTED = /^([\d.]+):(?:\d{1,5}|_[\w.-]+)$/

/** The address of an entry; brackets and a port are dropped. IPv6 without brackets has no port, just a last group. */
export function parseNode(node: string): IpAddress | undefined {
  if (node.length > MAX_NODE) return undefined
  return parseIp((BRACKETED.exec(node) ?? DOTTED.exec(node))?.[1] ?? node)
}

/** Only spaces and tabs: `trim` would take a no-break space too. */
export function trimmed(text: string, from: number, to: number): string {
  let [start, end] = [from, to]
  while (start < end && isBlank(text.charCodeAt(start))) start++
  while (start < end && isBlank(text.charCodeAt(end - 1))) end--
  return text.slice(start, end)
}

function isBlank(code: number): boolean {
  return code === 32 || code === 9
}

/** Where the element that ends at `end` begins: behind the nearest comma outside of quotes. */
function elementStart(header: string, end: number): number | undefined {
  let quoted = false
  for (let i = end - 1; i >= 0; i--) {
    if (end - i > MAX_ELEMENT) return undefined
    if (header[i] === '"' && !isEscaped(header, i)) quoted = !quoted
    else if (header[i] === ',' && !quoted) return i + 1
  }
  return 0
}

function isEscaped(header: string, index: number): boolean {
  let start = index
  while (header[start - 1] === '\\') start--
  return (index - start) % 2 === 1
}

const PAIR = /(?:([!#$%&'*+.^`|~\w-]+)=(?:([!#$%&'*+.^`|~\w-]+)|"((?:[^"\\]|\\.)*)"))?[ \t]*(?:;[ \t]*|$)/gy

function nodeOf(element: string): string {
  let node: string | undefined
  let read = 0
  for (const [pair, name, token, quoted] of element.matchAll(PAIR)) {
    read += pair.length
    if (name?.toLowerCase() !== 'for') continue
    if (node !== undefined) return ''
    node = token ?? quoted?.replace(/\\(.)/g, '$1')
  }
  return read < element.length ? '' : (node ?? '')
}
