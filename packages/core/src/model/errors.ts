/** What went wrong, for code that has to tell failures apart. A refused request is a `Decision`, never an error. */
export type RateLimitErrorCode =
  /** An option is wrong; thrown at construction where possible. */
  | 'RL_CONFIG'
  /** A key function gave something that cannot be a key. */
  | 'RL_KEY'
  /** A cost is negative, fractional, not finite, or names a policy that does not exist. */
  | 'RL_COST'
  /** The store failed or answered with something that is no decision. */
  | 'RL_STORE'
  /** The store did not answer within its deadline. */
  | 'RL_DEADLINE'

const BRAND = Symbol.for('@rl/core.error')

/** Every error that these packages throw on purpose. The message names the option, the value seen and what to do. */
export class RateLimitError extends Error {
  override readonly name = 'RateLimitError'
  readonly code: RateLimitErrorCode

  constructor(code: RateLimitErrorCode, message: string, options?: { readonly cause?: unknown }) {
    super(message, options)
    this.code = code
    Object.defineProperty(this, BRAND, { value: true })
  }
}

/** True for a `RateLimitError` of any copy of this package; `instanceof` fails between its ESM and CommonJS form. */
export function isRateLimitError(value: unknown): value is RateLimitError {
  return typeof value === 'object' && value !== null && BRAND in value
}

/** An `RL_CONFIG` error about one option: what it must be, and what was seen. */
export function configError(option: string, seen: unknown, advice: string): RateLimitError {
  return new RateLimitError('RL_CONFIG', `${option}: ${advice}; got ${show(seen)}`)
}

/** A value as it may stand in a message: short, on one line, control characters escaped. */
export function show(value: unknown, most = 80): string {
  if (typeof value === 'string') return clip(JSON.stringify(value), most)
  if (typeof value === 'bigint') return clip(`${value}n`)
  if (typeof value === 'function') return 'a function'
  if (Array.isArray(value)) return `an array of ${value.length}`
  if (typeof value === 'object' && value !== null) return 'an object'
  return clip(String(value))
}

function clip(text: string, most = 80): string {
  const short = text.length > most ? `${text.slice(0, most)}…` : text
  return short.replace(/[\p{Cc}\p{Zl}\p{Zp}]/gu, escaped)
}

function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
}
