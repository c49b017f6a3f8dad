import type { Limiter } from '../limiter-types.js'
import { type Counted, type Decision, decidingOf, type PolicyResult } from '../model/decision.js'
import type { Key } from '../model/key.js'
import type { RequestView } from './request-view.js'

/** A decision on a request, with whom it counted for. */
export type RateLimitResult = Decision & {
  readonly limiter: string
  /** Undefined where nobody was counted: the request was skipped, or a list named it before its key was asked for. */
  readonly key: Key | undefined
}

/**
 * A decision with whom it was for. Field by field: to spread it, or `Object.assign`, takes V8 up to four microseconds,
 * more than all the rest of the way of a request.
 */
export function resultOf(decision: Decision, limiter: string, key: Key | undefined): RateLimitResult {
  const { counted, allowed, source, reason } = decision
  if (!counted) return { counted, allowed, source, reason, limiter, key }
  const { policy, cost, limit, remaining, used, resetAfterMs, retryAfterMs, policies, receipt } = decision
  return {
    counted,
    allowed,
    source,
    reason,
    policy,
    cost,
    limit,
    remaining,
    used,
    resetAfterMs,
    retryAfterMs,
    policies,
    receipt,
    limiter,
    key,
  }
}

interface Decided {
  readonly by: Limiter
  readonly result: RateLimitResult
  /** False for a limiter that keeps its numbers from clients. */
  readonly told: boolean
}

/** Everything decided on one request so far, by any number of limiters. */
export class RequestState {
  /** The request: what holds this may be shared by several. */
  readonly of: object
  /** A literal of one takes less room than an array that grows to one. */
  #decided: Decided[] | undefined

  constructor(of: object) {
    this.of = of
  }

  /** What this very limiter has decided for that key already: mounted twice, it counts once. */
  earlier(by: Limiter, key: Key): RateLimitResult | undefined {
    if (this.#decided === undefined) return undefined
    return this.#decided.find((one) => one.by === by && one.result.key === key)?.result
  }

  add(decided: Decided): void {
    if (this.#decided === undefined) this.#decided = [decided]
    else this.#decided.push(decided)
  }

  /** The deciding result, or the one of the limiter with that name. */
  result(name?: string): RateLimitResult | undefined {
    const decided = this.#decided ?? []
    const [first] = decided
    if (decided.length === 1 && (name === undefined || first?.result.limiter === name)) return first?.result
    const all = decided.map(({ result }) => result)
    const results = name === undefined ? all : all.filter(({ limiter }) => limiter === name)
    if (results.length < 2) return results[0]
    const counted = results.filter((result): result is RateLimitResult & Counted => result.counted)
    return counted.length > 0 ? decidingOf(counted) : results.at(-1)
  }

  /** How every policy stands that clients are told of: stacked limits add up in the fields. */
  get told(): readonly PolicyResult[] {
    const decided = this.#decided ?? []
    return decided.length === 1 ? policiesOf(decided[0] as Decided) : decided.flatMap(policiesOf)
  }
}

function policiesOf({ result, told }: Decided): readonly PolicyResult[] {
  return told && result.counted ? result.policies : []
}

/**
 * Under which it hangs on a request, for every copy of this package the same. A framework that makes its requests with all
 * their properties may be told of it.
 */
export const REQUEST_STATE: unique symbol = Symbol.for('@rl/core.request')

interface Holder {
  [REQUEST_STATE]?: RequestState | null
}

export function stateOf({
  carrier,
  holder = carrier,
}: Pick<RequestView, 'carrier' | 'holder'>): RequestState {
  const held = (holder as Holder)[REQUEST_STATE]
  if (held?.of === carrier) return held
  const state = new RequestState(carrier)
  ;(holder as Holder)[REQUEST_STATE] = state
  return state
}

/**
 * What was decided on a request: the tightest result, or that of the limiter called `name`. Carrier and holder are those of
 * its view.
 */
export function rateLimitOf(
  carrier: object,
  name?: string,
  holder: object = carrier,
): RateLimitResult | undefined {
  const held = (holder as Holder)[REQUEST_STATE]
  return held?.of === carrier ? held.result(name) : undefined
}
