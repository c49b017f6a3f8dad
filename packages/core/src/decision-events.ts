import { decisionChannel } from './model/channel.js'
import type { Charge } from './model/charge.js'
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
const TIMED_EVERY = 1024

/** What a limiter decides by, while somebody listens: the store with its stand-by, telling the channel. */
export class ToldStore {
  readonly #by: Decider
  readonly #safe: Store
  #count = 0

  constructor(by: Decider, safe: Store) {
    this.#by = by
    this.#safe = safe
  }

  consume(charges: readonly Charge[], mode: Mode): MaybePromise<Decision> {
    // A store without a stand-by is one in this process, which makes no promise.
    if (this.#safe !== this.#by.store) return this.#wait(charges, mode)
    const startedAt = this.#count++ % TIMED_EVERY === 0 ? monotonicNow() : undefined
    return tell(this.#by, mode, this.#safe.consume(charges, mode) as Decision, startedAt)
  }

  /** Apart: a function in a function costs room in every call, made or not. */
  #wait(charges: readonly Charge[], mode: Mode): MaybePromise<Decision> {
    return told(this.#by, mode, () => this.#safe.consume(charges, mode))
  }
}

/** Decides, and tells the channel of it. To be called only while somebody listens. */
export function told(by: Decider, mode: Mode, decide: () => MaybePromise<Decision>): MaybePromise<Decision> {
  const startedAt = monotonicNow()
  const decision = decide()
  if (isPromise(decision)) return decision.then((value) => tell(by, mode, value, startedAt))
  return tell(by, mode, decision, startedAt)
}

/** Of one decision over several limiters it is one of them. */
function deciderOf(policies: readonly PolicyResult[], name: string): string {
  for (let i = 0; i < policies.length; i++) {
    if (policies[i]?.limiter !== name) return decidingOf(policies).limiter
  }
  return name
}

const NONE: readonly PolicyResult[] = []

function tell(
  { name, store }: Decider,
  mode: Mode,
  decision: Decision,
  startedAt: number | undefined,
): Decision {
  const { allowed, source, reason } = decision
  const policies = decision.counted ? decision.policies : NONE
  decisionChannel.publish({
    limiter: deciderOf(policies, name),
    mode,
    allowed,
    source,
    reason,
    policy: decision.counted ? decision.policy : undefined,
    policies,
    durationMs: startedAt === undefined ? undefined : monotonicNow() - startedAt,
    store,
  })
  return decision
}
