import { type Charge, type Costs, type Counted, type MemoryStore, memoryStore, type Receipt } from '@rl/core'
import { Model, type ModelDecision, type ModelPolicy } from './model.js'
import type { ConsumeStep, ResetStep, SettleStep } from './sequences.js'

/** What both say to one call. */
export interface Answers {
  readonly charges: readonly Charge[]
  readonly decision: Counted
  readonly expected: Counted
}

/**
 * The memory store and the oracle, told the same. The policies of a call go to one limiter, or each to the limiter
 * that `limiterOf` gives it: then one call has several charges, each for a key of its own.
 */
export class MemoryTwins {
  private now = 0
  private readonly store: MemoryStore = memoryStore({ clock: () => this.now })
  private readonly model = new Model()
  private readonly limiters = new Set<string>()

  constructor(private readonly limiterOf: (policy: ModelPolicy) => string) {}

  consume(step: ConsumeStep): Answers {
    this.now = step.now
    const charges = this.charges(step)
    const decision = this.store.consume(charges, step.mode)
    const policies = charges.flatMap((charge) => charge.policies)
    const charged = policies.map((policy) => step.costs[step.policies.indexOf(policy)] ?? 0)
    const { policies: claims } = decision
    const modelled = this.model.consume(step.key, policies, charged, step.now, step.mode, claims)
    const { store = 'none', id = 0 } = decision.receipt ?? {}
    const receipt = modelled.allowed && step.mode !== 'peek' ? { store, id, at: step.now, charges } : null
    return { charges, decision, expected: decisionOf(modelled, charges, receipt) }
  }

  settle(step: SettleStep, receipt: Receipt): void {
    this.now = step.now
    this.store.settle(receipt, actualCosts(step))
    if (step.isAgain) return
    this.model.settle(step.key, step.policies, step.charged, step.actual, step.at, step.now)
  }

  reset({ key }: ResetStep): void {
    for (const limiter of this.limiters) this.store.reset({ limiter, key: keyAt(limiter, key), policies: [] })
    this.model.reset(key)
  }

  /** A limiter's policies stay in order; a call to one limiter gets the very list that the step has. */
  private charges({ key, policies, costs: charged }: ConsumeStep): readonly Charge[] {
    const limiters = [...new Set(policies.map(this.limiterOf))]
    for (const limiter of limiters) this.limiters.add(limiter)
    return limiters.map((limiter) => {
      const own = policies.filter((policy) => this.limiterOf(policy) === limiter)
      return {
        limiter,
        key: keyAt(limiter, key),
        policies: limiters.length === 1 ? policies : own,
        costs: costs(
          own,
          own.map((policy) => charged[policies.indexOf(policy)] ?? 0),
        ),
      }
    })
  }
}

/** What a step settles with: a record of some policies, or of all, or one number where that says it. */
export function actualCosts({ policies, named, actual }: SettleStep): Costs {
  if (named.length === policies.length) return costs(policies, actual)
  return Object.fromEntries(named.map((policy) => [policy.name, actual[policies.indexOf(policy)] ?? 0]))
}

/** The key of a step as a limiter has it. */
export function keyAt(limiter: string, key: string): string {
  return `${key} at ${limiter}`
}

/** One number where it says all. */
export function costs(policies: readonly ModelPolicy[], each: readonly number[]): Costs {
  const [first] = each
  if (first !== undefined && each.every((cost) => cost === first)) return first
  return Object.fromEntries(policies.map(({ name }, i) => [name, each[i] ?? 0]))
}

/** The oracle's decision in the words of the packages. */
function decisionOf(
  { allowed, results, deciding }: ModelDecision,
  charges: readonly Charge[],
  receipt: Receipt | null,
): Counted {
  const asked = charges.flatMap(({ limiter, policies }) => policies.map((policy) => ({ limiter, policy })))
  const policies = asked.map(({ limiter, policy }, i) => {
    const result = results[i]
    if (result === undefined) throw new RangeError('a result for each policy')
    return { limiter, policy: policy.name, kind: policy.kind, ...result }
  })
  const top = policies[deciding]
  if (top === undefined) throw new RangeError('a deciding policy')
  const { policy, cost, limit, remaining, used, resetAfterMs, retryAfterMs } = top
  return {
    counted: true,
    allowed,
    source: 'store',
    reason: allowed ? 'ok' : retryAfterMs === null ? 'never' : 'limit',
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
