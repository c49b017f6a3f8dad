import type { Row } from '../algorithms/step.js'
import { type Charge, costOf } from '../model/charge.js'
import { type PolicyResult, withUnit } from '../model/decision.js'
import { spanMs } from '../model/policy.js'
import type { Rule } from './table.js'

/** What was found out of a policy: for how long its charge has to wait, and whether the whole decision allows it. */
interface Finding {
  readonly now: number
  readonly wait: number
  readonly allowed: boolean
}

/**
 * How a policy stands, by its row. Field by field, as the reply of a script is read: to hand them to one place for both, in an
 * object, takes 3 to 4 ns of a decision's 90.
 */
export function resultOf(
  { limiter, costs }: Charge,
  { policy, column }: Rule,
  row: Row,
  { now, wait, allowed }: Finding,
): PolicyResult {
  const { step } = column
  const { limit } = policy
  const remaining = step.remaining(policy, row, now)
  const result: PolicyResult = {
    limiter,
    policy: policy.name,
    kind: policy.kind,
    allowed: wait === 0,
    cost: allowed ? costOf(costs, policy) : 0,
    limit,
    remaining,
    used: limit - remaining,
    resetAfterMs: step.reset(policy, row, now),
    nextAfterMs: remaining < limit ? step.wait(policy, row, now, remaining + 1) : limit === 0 ? null : 0,
    retryAfterMs: wait === Number.POSITIVE_INFINITY ? null : wait,
    windowMs: spanMs(policy),
  }
  return withUnit(result, policy)
}
