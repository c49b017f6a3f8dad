import { type Charge, costOf } from '../model/charge.js'
import { type PolicyResult, withUnit } from '../model/decision.js'
import { type Policy, spanMs } from '../model/policy.js'
import type { Row, Step } from './step.js'

/** A policy, and what counts it. */
export interface Ruled {
  readonly policy: Policy
  readonly step: Step
}

/** What was found out of a policy: for how long its charge has to wait, and whether the whole decision allows it. */
interface Finding {
  readonly now: number
  readonly wait: number
  readonly allowed: boolean
}

/** How a policy stands by its row, as it is after the decision. */
export function resultOf(
  { limiter, costs }: Charge,
  { policy, step }: Ruled,
  row: Row,
  { now, wait, allowed }: Finding,
): PolicyResult {
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
