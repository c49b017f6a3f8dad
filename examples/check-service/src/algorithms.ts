import { fixedWindow, type Policy, slidingLog, slidingWindow, tokenBucket } from '@rl/core'
import { BadParameter, show } from './bad-parameter.js'
import { DECIMAL_FORM, type Decimal, formatDecimal, toDecimal } from './decimal.js'

/** What one value of `algorithm` means. */
export interface Algorithm {
  /** The largest `limit` accepted. */
  readonly maxLimit: number
  /** `rate_or_window` where a query has none. */
  readonly defaultSpan: string
  /** The policy for a limit and a `rate_or_window`. */
  plan(limit: number, span: string): Plan
}

export interface Plan {
  readonly policy: Policy
  /** The rate or window in one spelling: `2.5` and `2.50` share a counter. */
  readonly span: string
}

/** Thirty days: after that long every key in Redis is gone. */
const MAX_SECONDS = 2_592_000
const MAX_LIMIT = 1_000_000
/** The log holds an entry for each millisecond with an admission: up to 9 bytes each, nearly a megabyte a client. */
const MAX_LOG_LIMIT = 100_000

/** By the names that a query uses. No other place knows them. */
export const ALGORITHMS = {
  token_bucket: { maxLimit: MAX_LIMIT, defaultSpan: '10', plan: bucketPlan },
  sliding_window: { maxLimit: MAX_LOG_LIMIT, defaultSpan: '60', plan: windowPlan(slidingLog) },
  sliding_window_counter: { maxLimit: MAX_LIMIT, defaultSpan: '60', plan: windowPlan(slidingWindow) },
  fixed_window: { maxLimit: MAX_LIMIT, defaultSpan: '60', plan: windowPlan(fixedWindow) },
} as const satisfies Readonly<Record<string, Algorithm>>

export type AlgorithmName = keyof typeof ALGORITHMS

/** `0.5` tokens a second are 1 token every 2 seconds: a ratio of whole numbers, never a rounded one. */
function bucketPlan(limit: number, text: string): Plan {
  const rate = readSpan(text, 'tokens a second')
  const fillsInTime = limit * rate.scale <= MAX_SECONDS * rate.digits
  if (!fillsInTime) {
    throw new BadParameter(
      'rate_or_window',
      `must fill the bucket within ${MAX_SECONDS} seconds, so for a limit of ${limit} at least limit ÷ ${MAX_SECONDS}; got ${show(text)}`,
    )
  }
  const policy = tokenBucket({ capacity: limit, refill: rate.digits, per: rate.scale * 1000 })
  return { policy, span: formatDecimal(rate) }
}

function windowPlan(
  build: (options: { readonly limit: number; readonly window: number }) => Policy,
): Algorithm['plan'] {
  return (limit, text) => {
    const window = readSpan(text, 'seconds')
    const windowMs = (window.digits * 1000) / window.scale
    if (!Number.isInteger(windowMs) || windowMs > MAX_SECONDS * 1000) {
      throw new BadParameter(
        'rate_or_window',
        `must be whole milliseconds, from 0.001 to ${MAX_SECONDS} seconds; got ${show(text)}`,
      )
    }
    return { policy: build({ limit, window: windowMs }), span: formatDecimal(window) }
  }
}

function readSpan(text: string, unit: string): Decimal {
  const decimal = toDecimal(text)
  if (decimal !== undefined && decimal.digits > 0) return decimal
  throw new BadParameter(
    'rate_or_window',
    `must be ${unit} above 0, written as a decimal (${DECIMAL_FORM}) to be exact; got ${show(text)}`,
  )
}
