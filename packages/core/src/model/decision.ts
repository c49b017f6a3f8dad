import type { Receipt } from './charge.js'
import type { Policy } from './policy.js'
import type { QuotaUnit } from './unit.js'

/** How one policy stands after the decision. Durations are whole milliseconds from now. */
export interface PolicyResult {
  readonly limiter: string
  /** The policy's name. */
  readonly policy: string
  readonly kind: Policy['kind']
  /** What is counted; absent for requests. */
  readonly unit?: QuotaUnit
  /** Whether this policy, alone, admits the cost. */
  readonly allowed: boolean
  /** What was charged (by a peek: what would be); 0 when the decision is a refusal. */
  readonly cost: number
  /** Largest cost that can ever pass at once. */
  readonly limit: number
  /** Largest cost that would pass now. Rounded down, never below 0. */
  readonly remaining: number
  /** `limit - remaining`. */
  readonly used: number
  /** Until the full limit is back with no further traffic; 0 when it is. */
  readonly resetAfterMs: number | null
  /** Until `remaining` is one more; 0 at the limit, `null` for never. */
  readonly nextAfterMs: number | null
  /** Until the same cost passes with no other traffic; 0 when it passes now, `null` for never. */
  readonly retryAfterMs: number | null
  /** The policy's window; for a bucket the time in which it fills. */
  readonly windowMs: number
}

/** Who decided: the store, an in-process stand-in, … (open: later versions add to it). */
export type Source = 'store' | 'local' | (string & {})

/** Why: `ok`, over the `limit`, or a cost above the limit, which `never` passes (open: later versions add to it). */
export type Reason = 'ok' | 'limit' | 'never' | (string & {})

/** A decision with numbers. Those at the top are of the deciding policy: the tightest, or the longest wait. */
export interface Counted {
  readonly counted: true
  readonly allowed: boolean
  readonly source: Source
  readonly reason: Reason
  readonly policy: string
  readonly cost: number
  readonly limit: number
  readonly remaining: number
  readonly used: number
  readonly resetAfterMs: number | null
  readonly retryAfterMs: number | null
  /** Every policy that was asked, over all charges, in order. */
  readonly policies: readonly PolicyResult[]
  /** To settle the charge; `null` where nothing was charged. */
  readonly receipt: Receipt | null
}

/** A decision without counting: there are no numbers, so none can be invented. */
export interface Uncounted {
  readonly counted: false
  readonly allowed: boolean
  readonly source: Source
  readonly reason: Reason
}

export type Decision = Counted | Uncounted

/** The decision that follows from how each policy stands: refused if one refuses. */
export function decisionOf(
  policies: readonly PolicyResult[],
  source: Source,
  receipt: Receipt | null,
): Counted {
  return decidedBy(decidingOf(policies), policies, source, receipt)
}

/** The same where it is known which policy decides. */
export function decidedBy(
  tightest: PolicyResult,
  policies: readonly PolicyResult[],
  source: Source,
  receipt: Receipt | null,
): Counted {
  const { allowed, policy, cost, limit, remaining, used, resetAfterMs, retryAfterMs } = tightest
  const reason = allowed ? 'ok' : retryAfterMs === null ? 'never' : 'limit'
  return {
    counted: true,
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
  }
}

/**
 * The policy that a caller should be told of. Refused: the longest wait, for ever above all.
 * Allowed: the fewest further calls of the same cost. The first one on ties.
 */
export function decidingOf<T extends Standing>(list: readonly T[]): T {
  let deciding = list[0] as T
  for (let i = 1; i < list.length; i++) {
    const other = list[i] as T
    if (isTighter(other, deciding)) deciding = other
  }
  return deciding
}

type Standing = Pick<PolicyResult, 'allowed' | 'remaining' | 'cost' | 'retryAfterMs'>

function isTighter(a: Standing, b: Standing): boolean {
  if (a.allowed !== b.allowed) return !a.allowed
  return a.allowed ? callsLeft(a) < callsLeft(b) : waitOf(a) > waitOf(b)
}

function callsLeft({ remaining, cost }: Standing): number {
  return Math.floor(remaining / Math.max(1, cost))
}

function waitOf({ retryAfterMs }: Standing): number {
  return retryAfterMs ?? Number.POSITIVE_INFINITY
}
