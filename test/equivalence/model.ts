import { FixedWindowMeter } from './fixed-window-meter.js'
import type { Meter, ModelPolicy } from './meter.js'
import { smallest } from './search.js'
import { SlidingLogMeter } from './sliding-log-meter.js'
import { SlidingWindowMeter } from './sliding-window-meter.js'
import { TokenBucketMeter } from './token-bucket-meter.js'

export type { ModelPolicy } from './meter.js'

export type ModelMode = 'ask' | 'peek' | 'force'

/** The fields of one policy; waits are milliseconds, 0 for none and null for never. */
export interface ModelResult {
  readonly allowed: boolean
  readonly limit: number
  readonly remaining: number
  readonly resetAfterMs: number
  readonly retryAfterMs: number | null
  readonly nextAfterMs: number | null
}

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

  /** One call, with its cost for each policy, in the order of the policies. */
  consume(
    key: string,
    policies: readonly ModelPolicy[],
    costs: readonly number[],
    now: number,
    mode: ModelMode,
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
        ...fields(policy, is),
        allowed: passed === true,
        retryAfterMs: passed ? 0 : wait(policy, was, cost(i)),
      }
    })
    policies.forEach((policy, i) => {
      const meter = after[i]
      if (meter && mode !== 'peek' && (allowed || meter.repaired)) this.store(key, policy, meter)
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
      if (delta < 0) {
        const known = this.stored.get(key)?.has(identity(policy)) === true
        const refunded = known ? this.meter(key, policy, now).refund(-delta, at) : undefined
        if (refunded) this.store(key, policy, refunded)
      }
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

function fields(policy: ModelPolicy, meter: Meter): Omit<ModelResult, 'allowed' | 'retryAfterMs'> {
  const remaining = smallest((n) => n > policy.limit || !meter.admits(n)) - 1
  const full = remaining === policy.limit && policy.limit > 0
  const nextAfterMs = full ? 0 : wait(policy, meter, remaining + 1)
  return { limit: policy.limit, remaining, resetAfterMs: meter.resetAfter(), nextAfterMs }
}

function wait(policy: ModelPolicy, meter: Meter, cost: number): number | null {
  return cost > policy.limit ? null : smallest((ms) => meter.later(ms).admits(cost))
}

function tightest(results: readonly ModelResult[], costs: readonly number[]): number {
  const calls = results.map(({ remaining }, i) => Math.floor(remaining / Math.max(1, costs[i] ?? 0)))
  return calls.indexOf(Math.min(...calls))
}

function longest(results: readonly ModelResult[]): number {
  const waits = results.map(({ retryAfterMs }) => retryAfterMs ?? Number.POSITIVE_INFINITY)
  return waits.indexOf(Math.max(...waits))
}
