import { stepOf } from '../algorithms/index.js'
import type { Ruled } from '../algorithms/result.js'
import { slidingLogStep } from '../algorithms/sliding-log.js'
import type { Step } from '../algorithms/step.js'
import { identityOf } from '../model/limit.js'
import { type Policy, spanMs } from '../model/policy.js'
import { SCRIPTS, type Script } from './scripts.gen.js'

/** A policy as scripts read it, and what reads their answer. */
export interface WirePolicy extends Ruled {
  readonly tag: string
  /** In JSON, to stand in a list: tag, limit, window. */
  readonly numbers: string
  /** In JSON: what else there is to it, or 0. */
  readonly extra: string
}

/** Everything about a list of policies that is the same in every call. */
export interface Plan {
  readonly script: Script
  readonly policies: readonly WirePolicy[]
  readonly logTags: readonly string[]
}

const PLANS = new WeakMap<readonly Policy[], Plan>()
/** What stands for `extra` where a policy has none. */
export const NO_EXTRA = '0'

let lastPolicies: readonly Policy[] | undefined
let lastPlan!: Plan

/** The last one is remembered: each call asks several times, and mostly the next one for the same. */
export function planOf(policies: readonly Policy[]): Plan {
  if (policies === lastPolicies) return lastPlan
  lastPlan = PLANS.get(policies) ?? makePlan(policies)
  lastPolicies = policies
  return lastPlan
}

function makePlan(policies: readonly Policy[]): Plan {
  const wired = policies.map(wirePolicy)
  const logTags = wired.filter((_, i) => isLog(policies[i])).map(({ tag }) => tag)
  const script =
    policies.length === 1
      ? SCRIPTS[(policies[0] as Policy).kind]
      : SCRIPTS[logTags.length > 0 ? 'all' : 'counters']
  const plan = { script, policies: wired, logTags }
  PLANS.set(policies, plan)
  return plan
}

function isLog(policy: Policy | undefined): boolean {
  return policy?.kind === 'sliding-log'
}

function wirePolicy(policy: Policy): WirePolicy {
  const tag = String(fnv1a(identityOf(policy)))
  return {
    policy,
    step: isLog(policy) ? ANSWERED_LOG : stepOf(policy),
    windowMs: spanMs(policy),
    tag,
    numbers: `${tag},${policy.limit},${policy.windowMs}`,
    extra: extraOf(policy),
  }
}

/** The entries of a log stay in Redis: what only they can tell, the wait for one more, is answered in place of `c`. */
const ANSWERED_LOG: Step = { ...(slidingLogStep as Step), wait: (_policy, { c }) => c }

function extraOf(policy: Policy): string {
  if (policy.kind === 'token-bucket') return String(policy.refill)
  return policy.kind === 'fixed-window' && policy.align === 'first-hit' ? '"first-hit"' : NO_EXTRA
}

/** FNV-1a, 32 bits: short in the value, and different enough among the few policies of one subject. */
function fnv1a(text: string): number {
  let hash = 0x811c9dc5
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193)
  return hash >>> 0
}
