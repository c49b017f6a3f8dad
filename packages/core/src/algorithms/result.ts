import type { PolicyResult } from '../model/decision.js'
import type { Policy } from '../model/policy.js'
import { NEVER, type Row, type Step } from './step.js'

/** A policy, and what counts it. */
export interface Ruled {
  readonly policy: Policy
  readonly step: Step
  /** `spanMs` of the policy. */
  readonly windowMs: number
}

/** What was found out of a policy: for how long its charge has to wait, and what the whole decision charged. */
interface Finding {
  readonly limiter: string
  readonly now: number
  readonly wait: number
  readonly cost: number
}

/** How a policy stands by its row, as it is after the decision. */
export function resultOf(
  { policy, step, windowMs }: Ruled,
  row: Row,
  { limiter, now, wait, cost }: Finding,
): PolicyResult {
  const { limit } = policy
  const remaining = step.remaining(policy, row, now)
  const result: PolicyResult = {
    limiter,
    policy: policy.name,
    kind: policy.kind,
    allowed: wait === 0,
    cost,
    limit,
    remaining,
    used: limit - remaining,
    resetAfterMs: step.reset(policy, row, now),
    nextAfterMs: remaining < limit ? step.wait(policy, row, now, remaining + 1) : limit === 0 ? null : 0,
    retryAfterMs: wait === NEVER ? null : wait,
    windowMs,
  }
  return policy.unit === undefined ? result : withUnit(result, policy)
}

function withUnit(result: PolicyResult, { unit }: Policy): PolicyResult {
  return unit === undefined ? result : { ...result, unit }
}
