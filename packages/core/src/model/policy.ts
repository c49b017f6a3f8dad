import { type Duration, formatDuration, parseDuration } from './duration.js'
import { configError } from './errors.js'
import { checkOptions } from './suggest.js'
import { type QuotaUnit, unitOf } from './unit.js'

/** Counts in windows that follow one another. Up to twice the limit passes around an edge. */
export interface FixedWindow extends Named {
  readonly kind: 'fixed-window'
  readonly limit: number
  readonly windowMs: number
  /** Windows begin at multiples of `windowMs` since 1970 UTC, or at the first charge of a key. */
  readonly align: 'epoch' | 'first-hit'
}

/** Counts the current window and a share of the one before, as if its traffic had been even. */
export interface SlidingWindow extends Named {
  readonly kind: 'sliding-window'
  readonly limit: number
  readonly windowMs: number
}

/** Remembers every admission: never more than the limit in any window of that length. */
export interface SlidingLog extends Named {
  readonly kind: 'sliding-log'
  readonly limit: number
  readonly windowMs: number
}

/** Holds up to `limit` tokens; `refill` of them come back, evenly, every `windowMs`. */
export interface TokenBucket extends Named {
  readonly kind: 'token-bucket'
  /** The capacity. */
  readonly limit: number
  readonly refill: number
  readonly windowMs: number
}

/** One limit. Made by the builders of this module, frozen, plain data. */
export type Policy = FixedWindow | SlidingWindow | SlidingLog | TokenBucket

interface Named {
  /** Given by the key of the `limit` record; empty until then. */
  readonly name: string
  /** What it counts; absent for requests. */
  readonly unit?: QuotaUnit
}

/** What a `limit` option takes for one policy: a builder's result, or `'100/1m'` for a sliding window. */
export type PolicyLike = Policy | string

interface WindowOptions {
  /** Largest cost in one window: 0 (blocks all) to 999,999,999,999,999. */
  readonly limit: number
  readonly window: Duration
  /** What is counted, for the RateLimit fields. @default 'requests' */
  readonly unit?: QuotaUnit | undefined
}

/** Fixed window. `align` is `'epoch'` by default. Debt is forgiven when the window ends. */
export function fixedWindow(
  options: WindowOptions & { readonly align?: 'epoch' | 'first-hit' | undefined },
): FixedWindow {
  checkOptions('fixedWindow', options, ['limit', 'window', 'align', 'unit'])
  const { align = 'epoch' } = options
  if (align !== 'epoch' && align !== 'first-hit')
    throw configError('align', align, 'is "epoch" or "first-hit"')
  return Object.freeze({ kind: 'fixed-window', name: '', ...checkWindow('fixedWindow', options), align })
}

/**
 * Sliding window of two counters with linear interpolation. Needs limit × window (ms) below 2^53 to be exact. Debt weighs on
 * one window more, less and less, and is then forgiven.
 */
export function slidingWindow(options: WindowOptions): SlidingWindow {
  checkOptions('slidingWindow', options, ['limit', 'window', 'unit'])
  const { limit, windowMs, ...unit } = checkWindow('slidingWindow', options)
  checkExact('slidingWindow', limit, windowMs)
  return Object.freeze({ kind: 'sliding-window', name: '', limit, windowMs, ...unit })
}

/** Sliding log: exact, at the price of an entry for each admission in the window. Debt leaves with its entry. */
export function slidingLog(options: WindowOptions): SlidingLog {
  checkOptions('slidingLog', options, ['limit', 'window', 'unit'])
  return Object.freeze({ kind: 'sliding-log', name: '', ...checkWindow('slidingLog', options) })
}

/**
 * Token bucket: `capacity` at once, `refill` (default: the capacity) tokens every `per`.
 * Admits what GCRA admits. Needs capacity × per (ms) below 2^53 to be exact. Debt is paid in full, by later refill.
 */
export function tokenBucket(options: {
  readonly capacity: number
  readonly refill?: number | undefined
  readonly per: Duration
  /** What is counted, for the RateLimit fields. @default 'requests' */
  readonly unit?: QuotaUnit | undefined
}): TokenBucket {
  checkOptions('tokenBucket', options, ['capacity', 'refill', 'per', 'unit'])
  const limit = checkLimit('tokenBucket: capacity', options.capacity)
  const refill = checkLimit('tokenBucket: refill', options.refill ?? Math.max(1, limit))
  if (refill === 0)
    throw configError('tokenBucket: refill', 0, 'must be at least 1, or an empty bucket stays empty')
  const windowMs = parseDuration(options.per, 'tokenBucket: per')
  checkExact('tokenBucket', limit, windowMs)
  const unit = unitOf(options.unit, 'tokenBucket: unit')
  return Object.freeze({ kind: 'token-bucket', name: '', limit, refill, windowMs, ...unit })
}

/** Milliseconds in which a policy's full limit comes back: its window, or the time a bucket takes to fill. */
export function spanMs(policy: Policy): number {
  if (policy.kind !== 'token-bucket') return policy.windowMs
  return Math.ceil((policy.limit * policy.windowMs) / policy.refill)
}

/** The policy with that fraction of its limit, rounded down, but at least 1 of what is not 0. */
export function scaled(policy: Policy, share: number): Policy {
  const part = (value: number) => (value === 0 ? 0 : Math.max(1, Math.floor(value * share)))
  const limit = part(policy.limit)
  const changed =
    policy.kind === 'token-bucket' ? { ...policy, limit, refill: part(policy.refill) } : { ...policy, limit }
  return Object.freeze(changed)
}

const SHORTHAND = /^(\d{1,16}) ?\/ ?([\w ]{1,30})$/

/** The policy that a `limit` option means by `value`. @throws RateLimitError `RL_CONFIG`. */
export function toPolicy(value: unknown, option: string): Policy {
  if (typeof value === 'string') {
    const match = SHORTHAND.exec(value.trim())
    if (match === null) throw configError(option, value, 'takes "<limit>/<window>", such as "100/1m"')
    return slidingWindow({ limit: Number(match[1]), window: parseDuration(match[2], option) })
  }
  if (typeof value === 'object' && value !== null && 'kind' in value) return rebuild(value as Policy, option)
  throw configError(
    option,
    value,
    'takes "100/1m" or a policy such as tokenBucket({ capacity: 20, per: "1s" })',
  )
}

/** Builds again what claims to be a policy: a hand-written object gets the same checks as a builder's options. */
function rebuild(policy: Policy, option: string): Policy {
  const { kind, limit, windowMs: window, unit } = policy
  if (kind === 'fixed-window') return fixedWindow({ limit, window, align: policy.align, unit })
  if (kind === 'sliding-window') return slidingWindow({ limit, window, unit })
  if (kind === 'sliding-log') return slidingLog({ limit, window, unit })
  if (kind === 'token-bucket')
    return tokenBucket({ capacity: limit, refill: policy.refill, per: window, unit })
  throw configError(`${option}: kind`, kind, 'is none of the builders’ kinds')
}

function checkWindow(
  builder: string,
  options: WindowOptions,
): { limit: number; windowMs: number; unit?: QuotaUnit } {
  const limit = checkLimit(`${builder}: limit`, options.limit)
  const windowMs = parseDuration(options.window, `${builder}: window`)
  return { limit, windowMs, ...unitOf(options.unit, `${builder}: unit`) }
}

/** 15 digits: what a structured field can carry. */
const MAX_LIMIT = 999_999_999_999_999

function checkLimit(option: string, value: unknown): number {
  if (Number.isInteger(value) && (value as number) >= 0 && (value as number) <= MAX_LIMIT)
    return value as number
  throw configError(option, value, `must be a whole number from 0 (blocks all) to ${MAX_LIMIT}`)
}

function checkExact(builder: string, limit: number, windowMs: number): void {
  if (limit * windowMs <= Number.MAX_SAFE_INTEGER) return
  const span = formatDuration(windowMs)
  const largest = Math.floor(Number.MAX_SAFE_INTEGER / windowMs)
  const longest = Math.floor(Number.MAX_SAFE_INTEGER / limit)
  const nearest = longest >= 1 ? `, the longest time for ${limit} is "${longest}ms"` : ''
  const advice = `the largest exact limit for ${span} is ${largest}${nearest}; fixedWindow and slidingLog have no such bound`
  throw configError(builder, `${limit} per ${span}`, `can't count that exactly: ${advice}`)
}
