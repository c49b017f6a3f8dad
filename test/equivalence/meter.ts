/** A policy as the oracle sees it. Times are whole milliseconds, limits and refills whole numbers. */
export type ModelPolicy = FixedWindowPolicy | SlidingWindowPolicy | SlidingLogPolicy | TokenBucketPolicy

export interface FixedWindowPolicy extends Named {
  readonly kind: 'fixed-window'
  readonly align: 'epoch' | 'first-hit'
}

export interface SlidingWindowPolicy extends Named {
  readonly kind: 'sliding-window'
}

export interface SlidingLogPolicy extends Named {
  readonly kind: 'sliding-log'
}

/** `limit` is the capacity; `refill` tokens arrive every `windowMs`, evenly. */
export interface TokenBucketPolicy extends Named {
  readonly kind: 'token-bucket'
  readonly refill: number
}

interface Named {
  readonly name: string
  readonly limit: number
  readonly windowMs: number
}

/**
 * What one policy knows about one key at one moment. A meter never changes: every operation gives a new one,
 * so that a peek is a meter that nobody kept.
 */
export interface Meter {
  /** The state that this meter was made from lay in the future: the clock went back. */
  readonly repaired: boolean
  /** The same meter after `ms` without traffic. */
  later(ms: number): Meter
  admits(cost: number): boolean
  /** Takes the cost without asking. */
  charge(cost: number): Meter
  /** Gives back what was charged at the moment `at`, as far as that still counts. */
  refund(amount: number, at: number): Meter
}
