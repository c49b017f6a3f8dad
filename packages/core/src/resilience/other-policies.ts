import { type Charge, type Costs, costOf, type Receipt } from '../model/charge.js'
import type { Decision } from '../model/decision.js'
import type { Policy } from '../model/policy.js'
import type { MaybePromise, Mode, Store, Subject } from '../model/store.js'

/** The store, counting by other policies than it is asked for. A policy costs what one of the same name costs, else 1. */
export function otherPolicies(
  store: Store,
  policiesFor: (asked: readonly Policy[]) => readonly Policy[],
): Store {
  const exchange = (charge: Charge): Charge => {
    const policies = policiesFor(charge.policies)
    return { ...charge, policies, costs: costsFor(policies, charge.costs) }
  }
  return {
    consume: (charges: readonly Charge[], mode: Mode): MaybePromise<Decision> =>
      store.consume(charges.map(exchange), mode),
    // The receipt is this store's own, so its policies are the others already.
    settle: (receipt: Receipt, actual: Costs): MaybePromise<void> => store.settle(receipt, actual),
    reset: (subject: Subject): MaybePromise<void> => store.reset(subject),
    close: (): MaybePromise<void> => store.close(),
  }
}

function costsFor(policies: readonly Policy[], costs: Costs): Costs {
  if (typeof costs === 'number') return costs
  return Object.fromEntries(
    policies.map((policy) => [policy.name, Object.hasOwn(costs, policy.name) ? costOf(costs, policy) : 1]),
  )
}
