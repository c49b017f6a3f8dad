import type { PolicyResult } from '@rl/core'

/** How a policy stands: of `100/1m`, fresh and with one request used, save what is given. */
export function policyResult(given: Partial<PolicyResult> = {}): PolicyResult {
  const { limit = 100, remaining = limit - 1, windowMs = 60_000 } = given
  return {
    limiter: 'default',
    policy: '1m',
    kind: 'fixed-window',
    allowed: true,
    cost: 1,
    limit,
    remaining,
    used: limit - remaining,
    resetAfterMs: windowMs,
    nextAfterMs: windowMs,
    retryAfterMs: 0,
    windowMs,
    ...given,
  }
}

/** The same of a policy that refuses. */
export function refusing(given: Partial<PolicyResult> = {}): PolicyResult {
  const { nextAfterMs = 60_000 } = given
  return policyResult({ allowed: false, cost: 0, remaining: 0, retryAfterMs: nextAfterMs, ...given })
}
