import { fixedWindow, type Policy, slidingLog, slidingWindow, tokenBucket } from '@rl/core'
import fc from 'fast-check'

/** How to build each kind of policy from a limit, a window in ms and, for the bucket, a refill. */
export const BUILDERS = {
  'fixed window, epoch': (limit, window) => fixedWindow({ limit, window }),
  'fixed window, first hit': (limit, window) => fixedWindow({ limit, window, align: 'first-hit' }),
  'sliding window': (limit, window) => slidingWindow({ limit, window }),
  'sliding log': (limit, window) => slidingLog({ limit, window }),
  'token bucket': (capacity, per, refill) => tokenBucket({ capacity, per, refill }),
} as const satisfies Record<string, (limit: number, windowMs: number, refill: number) => Policy>

export type Family = keyof typeof BUILDERS

const SECOND = 1000
const MONTH = 30 * 86_400 * SECOND
const CENTURY = 36_525 * 86_400 * SECOND

/** Where rounding shows, and where 2^53 is near. */
const RATES = [
  [0, SECOND],
  [1, 1],
  [3, SECOND],
  [7, 60 * SECOND],
  [9, 90 * SECOND],
  [1, MONTH],
  [700_000, SECOND],
  [9_007_199_254_740, SECOND],
  [3_474_926, MONTH],
  [2854, CENTURY],
] as const

/** Policies of one kind: many small ones, and those where counting is hard. */
export function policiesOf(family: Family): fc.Arbitrary<Policy> {
  return fc.oneof(
    { weight: 3, arbitrary: smallPoliciesOf(family) },
    fc
      .tuple(fc.constantFrom(...RATES), fc.integer({ min: 1, max: 2000 }))
      .map(([[limit, windowMs], refill]) => BUILDERS[family](limit, windowMs, refill)),
  )
}

/** Policies of one kind that a short history uses up. */
export function smallPoliciesOf(family: Family): fc.Arbitrary<Policy> {
  const windows = fc.oneof(fc.integer({ min: 1, max: 12 }), fc.constantFrom(100, 997, 1000))
  const counts = fc.integer({ min: 1, max: 12 })
  return fc
    .tuple(counts, windows, counts)
    .map(([limit, windowMs, refill]) => BUILDERS[family](limit, windowMs, refill))
}
