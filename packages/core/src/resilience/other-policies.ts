import { type Charge, type Costs, costOf, type Receipt } from '../model/charge.js'
import type { Decision } from '../model/decision.js'
import { isPromise } from '../model/maybe-promise.js'
import type { Policy } from '../model/policy.js'
import type { MaybePromise, Mode, Store, Subject } from '../model/store.js'

/**
 * The store, counting by other policies than it is asked for. A policy costs what one of the same name costs, else 1. Its
 * receipts speak of what was asked: whoever settles names those policies, and knows of no others.
 */
export function otherPolicies(
  store: Store,
  policiesFor: (asked: readonly Policy[]) => readonly Policy[],
): Store {
  const exchange = ({ limiter, key, policies: asked, costs }: Charge): Charge => {
    const policies = policiesFor(asked)
    return { limiter, key, policies, costs: costsFor(policies, costs) }
  }
  return {
    consume(charges: readonly Charge[], mode: Mode): MaybePromise<Decision> {
      const decision = store.consume(charges.map(exchange), mode)
      if (isPromise(decision)) return decision.then((value) => withReceiptOf(charges, value))
      return withReceiptOf(charges, decision)
    },
    settle: (receipt: Receipt, actual: Costs): MaybePromise<void> =>
      store.settle({ ...receipt, charges: receipt.charges.map(exchange) }, actual),
    reset: (subject: Subject): MaybePromise<void> => store.reset(subject),
    close: (): MaybePromise<void> => store.close(),
  }
}

/** In place: the receipt was made for this decision, which nobody else has seen yet. */
function withReceiptOf(charges: readonly Charge[], decision: Decision): Decision {
  if (decision.counted && decision.receipt !== null) {
    const receipt: { charges: readonly Charge[] } = decision.receipt
    receipt.charges = charges
  }
  return decision
}

function costsFor(policies: readonly Policy[], costs: Costs): Costs {
  if (typeof costs === 'number') return costs
  return Object.fromEntries(
    policies.map((policy) => [policy.name, Object.hasOwn(costs, policy.name) ? costOf(costs, policy) : 1]),
  )
}
