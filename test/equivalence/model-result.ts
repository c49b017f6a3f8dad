import type { Meter, ModelPolicy } from './meter.js'
import { smallest } from './search.js'
import { spanMs } from './span.js'

/** The fields of one policy; waits are milliseconds, 0 for none and null for never. */
export interface ModelResult {
  readonly allowed: boolean
  readonly cost: number
  readonly limit: number
  readonly remaining: number
  readonly used: number
  readonly resetAfterMs: number
  readonly retryAfterMs: number | null
  readonly nextAfterMs: number | null
  /** The window; for a bucket the time in which it fills. */
  readonly windowMs: number
}

/** What somebody else found, to be looked at before anything is searched for. A wrong claim changes nothing. */
export type Claim = { readonly [K in 'remaining' | `${'reset' | 'retry' | 'next'}AfterMs`]?: number | null }

type Fields = Omit<ModelResult, 'allowed' | 'cost' | 'retryAfterMs'>

/** Limit 0 is full and has nothing to wait for: there is no next one, ever. */
export function fields(policy: ModelPolicy, meter: Meter, claim: Claim = {}): Fields {
  const { limit } = policy
  const remaining = smallest((n) => n > limit || !meter.admits(n), Number(claim.remaining) + 1) - 1
  const isFull = meter.admits(limit)
  return {
    limit,
    remaining,
    used: limit - remaining,
    resetAfterMs: isFull ? 0 : smallest((ms) => meter.later(ms).admits(limit), claim.resetAfterMs),
    nextAfterMs: isFull && limit > 0 ? 0 : wait(policy, meter, remaining + 1, claim.nextAfterMs),
    windowMs: spanMs(policy),
  }
}

/** Milliseconds until the cost passes; null for never. */
export function wait(policy: ModelPolicy, meter: Meter, cost: number, claim?: number | null): number | null {
  return cost > policy.limit ? null : smallest((ms) => meter.later(ms).admits(cost), claim)
}
