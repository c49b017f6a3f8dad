import type { Policy } from '../model/policy.js'
import { fixedWindowStep } from './fixed-window.js'
import { slidingLogStep } from './sliding-log.js'
import { slidingWindowStep } from './sliding-window.js'
import type { Step } from './step.js'
import { tokenBucketStep } from './token-bucket.js'

const STEPS: { readonly [K in Policy['kind']]: Step<Extract<Policy, { kind: K }>> } = {
  'fixed-window': fixedWindowStep,
  'sliding-window': slidingWindowStep,
  'sliding-log': slidingLogStep,
  'token-bucket': tokenBucketStep,
}

/** The one table of algorithms: a policy's kind to its step. */
export function stepOf(policy: Policy): Step {
  return STEPS[policy.kind] as Step
}
