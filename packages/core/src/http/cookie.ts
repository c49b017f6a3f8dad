import { trimmed } from './forwarded.js'

/** What browsers keep of one cookie. Longer values are nobody's session. */
const MAX_VALUE = 4096

/**
 * The value of one cookie in a `Cookie` header (RFC 6265): quotes dropped, percent-encoding decoded where it is sound. Of
 * several with that name the first, which is the one that servers take. No table of all cookies is made.
 */
export function cookieValue(header: string | undefined, name: string): string | undefined {
  if (header === undefined) return undefined
  for (let start = 0; start < header.length; ) {
    const semicolon = header.indexOf(';', start)
    const end = semicolon < 0 ? header.length : semicolon
    const value = valueIn(header, start, end, name)
    if (value !== undefined) return decoded(value)
    start = end + 1
  }
  return undefined
}

function valueIn(header: string, start: number, end: number, name: string): string | undefined {
  let from = start
  while (from < end && isBlank(header.charCodeAt(from))) from++
  if (!header.startsWith(name, from)) return undefined
  let equals = from + name.length
  while (equals < end && isBlank(header.charCodeAt(equals))) equals++
  if (equals >= end || header[equals] !== '=') return undefined
  return end - equals > MAX_VALUE ? '' : unquoted(trimmed(header, equals + 1, end))
}

function isBlank(code: number): boolean {
  return code === 32 || code === 9
}

function unquoted(value: string): string {
  return value.length > 1 && value.startsWith('"') && value.endsWith('"') ? value.slice(1, -1) : value
}

function decoded(value: string): string {
  if (!value.includes('%')) return value
  try {
    return decodeURIComponent(value)
  } catch {
    return value
  }
}
