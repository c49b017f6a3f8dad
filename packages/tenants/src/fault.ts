import { RateLimitError } from '@rl/core'

/** What is wrong with a file, and at which path in it. No value that may be a secret stands in it. */
export function fault(path: string, advice: string): RateLimitError {
  return new RateLimitError('RL_CONFIG', path === '' ? advice : `${path}: ${advice}`)
}

/** The path of a member: `tenants.acme`, `tenants["a b"]`, `keys[0]`. */
export function at(path: string, member: PropertyKey): string {
  if (typeof member === 'number') return `${path}[${member}]`
  const name = String(member)
  if (!/^[\w-]{1,64}$/.test(name)) return `${path}[${quoted(name)}]`
  return path === '' ? name : `${path}.${name}`
}

/** Text of the file as it may stand in a message: short, on one line. */
export function quoted(text: string, most = 64): string {
  const short = text.length > most ? `${text.slice(0, most)}…` : text
  return JSON.stringify(short).replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, (character) => {
    return `\\u${(character.codePointAt(0) ?? 0).toString(16).padStart(4, '0')}`
  })
}

const TOLD = 10

/** A list as it may stand in a message: its first ten, and how many more there are. */
export function listed(names: readonly string[]): string {
  const more = names.length - TOLD
  return more > 0 ? `${names.slice(0, TOLD).join(', ')} and ${more} more` : names.join(', ')
}
