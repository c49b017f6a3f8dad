import { decisionChannel } from './model/channel.js'
import { type Decision, decidingOf, type PolicyResult } from './model/decision.js'
import { isPromise } from './model/maybe-promise.js'
import type { MaybePromise, Mode, Store } from './model/store.js'
import { monotonicNow } from './model/timers.js'

/** Whose decision it is. */
interface Decider {
  readonly name: string
  readonly store: Store
}

/** To look at the clock twice takes as long as a decision in memory. */
const TIMED_EVERY = 256

/** Counts a limiter's decisions in memory, to choose those that are timed. */
export class Sampler {
  #count = 0

  isNext(): boolean {
    return this.#count++ % TIMED_EVERY === 0
  }
}

/** Decides, and tells the channel of it. To be called only while somebody listens. */
export function told(
  by: Decider,
  mode: Mode,
  decide: () => MaybePromise<Decision>,
  isTimed = true,
): MaybePromise<Decision> {
  const startedAt = isTimed ? monotonicNow() : undefined
  const decision = decide()
  if (isPromise(decision)) return decision.then((value) => tell(by, mode, value, startedAt))
  return tell(by, mode, decision, startedAt)
}

const NONE: readonly PolicyResult[] = []

function tell(by: Decider, mode: Mode, decision: Decision, startedAt: number | undefined): Decision {
  const { allowed, source, reason } = decision
  const policies = decision.counted ? decision.policies : NONE
  decisionChannel.publish({
    limiter: policies.length > 1 ? decidingOf(policies).limiter : by.name,
    mode,
    allowed,
    source,
    reason,
    policy: decision.counted ? decision.policy : undefined,
    policies,
    durationMs: startedAt === undefined ? undefined : monotonicNow() - startedAt,
    store: by.store,
  })
  return decision
}
