import { BadParameter, show } from './bad-parameter.js'

/** Every parameter that a check takes. */
export const PARAMETERS = ['client_id', 'algorithm', 'limit', 'rate_or_window', 'cost'] as const

export type Parameter = (typeof PARAMETERS)[number]

export type Query = ReadonlyMap<Parameter, string>

/**
 * The parameters behind the `?` of a URL. Strict where parsers are lenient: one that is misspelt or given twice would
 * else count by another limit than its sender believes, and two ids that are no UTF-8 would be one client.
 * @throws BadParameter
 */
export function readQuery(url: string): Query {
  const query = new Map<Parameter, string>()
  const start = url.indexOf('?')
  if (start < 0) return query
  for (const part of url.slice(start + 1).split('&')) {
    if (part === '') continue
    const equals = part.indexOf('=')
    const name = toParameter(equals < 0 ? part : part.slice(0, equals))
    if (query.has(name)) throw new BadParameter(name, 'is given twice; give it once')
    query.set(name, equals < 0 ? '' : decode(part.slice(equals + 1), name))
  }
  return query
}

function toParameter(raw: string): Parameter {
  const text = decode(raw, raw.slice(0, 60))
  const name = PARAMETERS.find((parameter) => parameter === text)
  if (name !== undefined) return name
  throw new BadParameter(text.slice(0, 60), `is no parameter of a check; it takes ${PARAMETERS.join(', ')}`)
}

function decode(raw: string, name: string): string {
  try {
    return decodeURIComponent(raw.replaceAll('+', ' '))
  } catch {
    throw new BadParameter(name, `is not percent-encoded UTF-8; got ${show(raw)}. A % itself is written %25`)
  }
}
