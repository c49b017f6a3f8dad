import { FixedWindowMeter } from './fixed-window-meter.js'
import type { Meter, ModelPolicy } from './meter.js'
import { type Claim, fields, type ModelResult, wait } from './model-result.js'
import { SlidingLogMeter } from './sliding-log-meter.js'
import { SlidingWindowMeter } from './sliding-window-meter.js'
import { TokenBucketMeter } from './token-bucket-meter.js'

export type { ModelPolicy } from './meter.js'
export type { Claim, ModelResult } from './model-result.js'

export type ModelMode = 'ask' | 'peek' | 'force'

export interface ModelDecision {
  readonly allowed: boolean
  readonly results: readonly ModelResult[]
  /** Index of the policy that the decision speaks for. */
  readonly deciding: number
}

/**
 * The rate limiter by definition: waits and remainders are searched for by asking the policy, never computed.
 * It imports nothing of the packages, and forgets a key only when told to.
 */
export class Model {
  private readonly stored = new Map<string, Map<string, Meter>>()

  /** One call, with its cost for each policy, in the order of the policies; claims, too, are in that order. */
  consume(
    key: string,
    policies: readonly ModelPolicy[],
    costs: readonly number[],
    now: number,
    mode: ModelMode,
    claims: readonly Claim[] = [],
  ): ModelDecision {
    const cost = (index: number): number => costs[index] ?? 0
    const before = policies.map((policy) => this.meter(key, policy, now))
    const passes = before.map((meter, i) => mode === 'force' || cost(i) === 0 || meter.admits(cost(i)))
    const allowed = passes.every(Boolean)
    const charged = allowed && mode !== 'peek'
    const after = charged ? before.map((meter, i) => meter.charge(cost(i))) : before
    const results = policies.map((policy, i): ModelResult => {
      const [was, is, passed] = [before[i], after[i], passes[i]]
      if (was === undefined || is === undefined) throw new RangeError('a meter for each policy')
      return {
        ...fields(policy, is, claims[i]),
        allowed: passed === true,
        cost: allowed ? cost(i) : 0,
        retryAfterMs: passed ? 0 : wait(policy, was, cost(i), claims[i]?.retryAfterMs),
      }
    })
    policies.forEach((policy, i) => {
      const meter = after[i]
      const written = mode !== 'peek' && ((allowed && cost(i) > 0) || meter?.repaired)
      if (meter && written) this.store(key, policy, meter)
    })
    return { allowed, results, deciding: allowed ? tightest(results, costs) : longest(results) }
  }

  /** Corrects an earlier call: what it charged at the moment `at`, and what it should have charged. */
  settle(
    key: string,
    policies: readonly ModelPolicy[],
    charged: readonly number[],
    actual: readonly number[],
    at: number,
    now: number,
  ): void {
    policies.forEach((policy, i) => {
      const delta = (actual[i] ?? 0) - (charged[i] ?? 0)
      if (delta > 0) this.store(key, policy, this.meter(key, policy, now).charge(delta))
      const known = this.stored.get(key)?.has(identity(policy)) === true
      if (delta < 0 && known) this.store(key, policy, this.meter(key, policy, now).refund(-delta, at))
    })
  }

  reset(key: string): void {
    this.stored.delete(key)
  }

  private meter(key: string, policy: ModelPolicy, now: number): Meter {
    return meterAt(policy, BigInt(now), this.stored.get(key)?.get(identity(policy)))
  }

  private store(key: string, policy: ModelPolicy, meter: Meter): void {
    const meters = this.stored.get(key) ?? new Map<string, Meter>()
    this.stored.set(key, meters.set(identity(policy), meter))
  }
}

function meterAt(policy: ModelPolicy, now: bigint, stored: Meter | undefined): Meter {
  switch (policy.kind) {
    case 'fixed-window':
      return FixedWindowMeter.at(policy, now, stored)
    case 'sliding-window':
      return SlidingWindowMeter.at(policy, now, stored)
    case 'sliding-log':
      return SlidingLogMeter.at(policy, now, stored)
    case 'token-bucket':
      return TokenBucketMeter.at(policy, now, stored)
  }
}

/** A changed limit or refill keeps the counts; anything named here starts afresh when it changes. */
function identity(policy: ModelPolicy): string {
  return JSON.stringify([policy.name, policy.kind, policy.windowMs, 'align' in policy ? policy.align : ''])
}

function tightest(results: readonly ModelResult[], costs: readonly number[]): number {
  const calls = results.map(({ remaining }, i) => Math.floor(remaining / Math.max(1, costs[i] ?? 0)))
  return calls.indexOf(Math.min(...calls))
}

function longest(results: readonly ModelResult[]): number {
  const waits = results.map(({ retryAfterMs }) => retryAfterMs ?? Number.POSITIVE_INFINITY)
  return waits.indexOf(Math.max(...waits))
}
