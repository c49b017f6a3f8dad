import type { ModelPolicy, TokenBucketPolicy } from './meter.js'
import { smallest } from './search.js'
import { TokenBucketMeter } from './token-bucket-meter.js'

const known = new WeakMap<ModelPolicy, number>()

/** Milliseconds in which the full limit of a policy comes back: its window, or the time in which a bucket fills. */
export function spanMs(policy: ModelPolicy): number {
  const span = known.get(policy) ?? (policy.kind === 'token-bucket' ? msToFill(policy) : policy.windowMs)
  known.set(policy, span)
  return span
}

function msToFill(policy: TokenBucketPolicy): number {
  const empty = TokenBucketMeter.at(policy, 0n).charge(policy.limit)
  return policy.limit === 0 ? 0 : smallest((ms) => empty.later(ms).admits(policy.limit))
}
