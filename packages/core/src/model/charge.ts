import { RateLimitError, show } from './errors.js'
import type { Policy } from './policy.js'

/** A cost for every policy, or one by policy name. Whole, not negative; 0 for a policy: it is not asked. */
export type Costs = number | Readonly<Record<string, number>>

/** What one limiter asks of a store for one key. */
export interface Charge {
  readonly limiter: string
  readonly key: string
  readonly policies: readonly Policy[]
  readonly costs: Costs
}

/** The cost of a charge for one of its policies. */
export function costOf(costs: Costs, policy: Policy): number {
  return typeof costs === 'number' ? costs : (costs[policy.name] as number)
}

/** Proof of a charge, to settle it later, also in another process: plain data, safe to pass through JSON. */
export interface Receipt {
  /** The store that decided; no other settles it. */
  readonly store: string
  /** Of this charge alone: it is settled at most once. */
  readonly id: number | string
  /** When it was charged, by the clock that decided. */
  readonly at: number
  readonly charges: readonly Charge[]
  /** Of charges that one decision made in further calls. */
  readonly rest?: readonly Receipt[]
}

/** What a charge should have cost for a policy: what it did cost, where a record of costs does not name the policy. */
export function actualOf(actual: Costs, charge: Charge, policy: Policy): number {
  if (typeof actual === 'number') return actual
  return Object.hasOwn(actual, policy.name) ? costOf(actual, policy) : costOf(charge.costs, policy)
}

/**
 * Checks costs against the policies that they are for. A record must name every policy: a forgotten one would be free.
 * @throws RateLimitError `RL_COST`.
 */
export function checkCosts(costs: unknown, policies: readonly Policy[]): Costs {
  if (typeof costs === 'number') return checkCost(costs, 'cost')
  const checked = checkRecord(costs, policies)
  const missing = policies.find(({ name }) => !Object.hasOwn(checked, name))
  if (missing === undefined) return checked
  throw new RateLimitError('RL_COST', `cost: has no number for policy "${missing.name}"; 0 leaves it out`)
}

/** Checks what a charge is to be settled with: a number, or a record of some policies. @throws RateLimitError `RL_COST` */
export function checkActual(actual: unknown, policies: readonly Policy[]): Costs {
  return typeof actual === 'number' ? checkCost(actual, 'cost') : checkRecord(actual, policies)
}

/** Gives a copy: it is kept in receipts and asked again later, and the caller may fill the record for the next call. */
function checkRecord(costs: unknown, policies: readonly Policy[]): Readonly<Record<string, number>> {
  if (typeof costs !== 'object' || costs === null || Array.isArray(costs)) {
    throw new RateLimitError('RL_COST', `cost: takes a number or a record by policy name; got ${show(costs)}`)
  }
  const names = policies.map(({ name }) => name)
  const checked: Record<string, number> = {}
  for (const [name, cost] of Object.entries(costs)) {
    if (!names.includes(name)) throw unknownPolicy(name, names)
    checked[name] = checkCost(cost, `cost.${name}`)
  }
  return checked
}

function checkCost(cost: unknown, option: string): number {
  if (Number.isSafeInteger(cost) && (cost as number) >= 0) return Math.abs(cost as number)
  throw new RateLimitError('RL_COST', `${option}: must be a whole number of at least 0; got ${show(cost)}`)
}

function unknownPolicy(name: string, names: readonly string[]): RateLimitError {
  return new RateLimitError('RL_COST', `cost: there is no policy ${show(name)}; there is ${names.join(', ')}`)
}
