import type { Limiter } from '../limiter-types.js'
import { type Counted, type Decision, decidingOf, type PolicyResult } from '../model/decision.js'
import type { Key } from '../model/key.js'

/** A decision on a request, with whom it counted for. */
export type RateLimitResult = Decision & {
  readonly limiter: string
  /** Undefined where nobody was counted: the request was skipped, or a list named it before its key was asked for. */
  readonly key: Key | undefined
}

interface Decided {
  readonly by: Limiter
  readonly result: RateLimitResult
  /** False for a limiter that keeps its numbers from clients. */
  readonly told: boolean
}

/** Everything decided on one request so far, by any number of limiters. */
export class RequestState {
  readonly #decided: Decided[] = []

  /** What this very limiter has decided for that key already: mounted twice, it counts once. */
  earlier(by: Limiter, key: Key): RateLimitResult | undefined {
    return this.#decided.find((one) => one.by === by && one.result.key === key)?.result
  }

  add(decided: Decided): void {
    this.#decided.push(decided)
  }

  /** The deciding result, or the one of the limiter with that name. */
  result(name?: string): RateLimitResult | undefined {
    const results: RateLimitResult[] = []
    for (const { result } of this.#decided)
      if (name === undefined || result.limiter === name) results.push(result)
    if (results.length < 2) return results[0]
    const counted = results.filter((result): result is RateLimitResult & Counted => result.counted)
    return counted.length > 0 ? decidingOf(counted) : results.at(-1)
  }

  /** How every policy stands that clients are told of: stacked limits add up in the fields. */
  get told(): readonly PolicyResult[] {
    if (this.#decided.length === 1) return policiesOf(this.#decided[0] as Decided)
    return this.#decided.flatMap(policiesOf)
  }
}

function policiesOf({ result, told }: Decided): readonly PolicyResult[] {
  return told && result.counted ? result.policies : []
}

/** On the request object itself, under a symbol that every copy of this package shares. */
const STATE = Symbol.for('@rl/core.request')

interface Carrier {
  [STATE]?: RequestState
}

export function stateOf(carrier: object): RequestState {
  const carried = carrier as Carrier
  carried[STATE] ??= new RequestState()
  return carried[STATE]
}

/** What was decided on a request: the tightest result, or that of the limiter called `name`. */
export function rateLimitOf(carrier: object, name?: string): RateLimitResult | undefined {
  return (carrier as Carrier)[STATE]?.result(name)
}
