import { checkCosts, type Receipt } from './model/charge.js'
import type { Decision } from './model/decision.js'
import { configError } from './model/errors.js'

/**
 * What a limiter charged for a decision, as receipts of its part alone; none where it charged nothing, so that every
 * limiter that may have had a part in it can be asked to give it back. All of it is checked before any of it is settled.
 * @throws RateLimitError `RL_CONFIG` for what is no decision; `RL_COST` for a charge that nobody can have made.
 */
export function receiptsOf(decision: Decision, limiter: string): readonly Receipt[] {
  if (typeof decision?.counted !== 'boolean') {
    throw configError(
      'decision',
      decision,
      'takes what consume() gave; await the decision before it is settled',
    )
  }
  if (!decision.counted || decision.receipt === null) return NONE
  const { rest, ...first } = checkReceipt(decision.receipt)
  return [first, ...(rest ?? NONE)].flatMap((receipt) => partOf(checkReceipt(receipt), limiter))
}

const NONE: readonly Receipt[] = []

/** It may come out of JSON. */
function checkReceipt(receipt: Receipt): Receipt {
  const { charges, rest = NONE } = receipt ?? {}
  if (Array.isArray(charges) && charges.every(isCharge) && Array.isArray(rest)) return receipt
  throw configError('decision', receipt, 'has a receipt that is none; pass the decision as it was made')
}

function isCharge(charge: Partial<Receipt['charges'][number]> | null | undefined): boolean {
  return (
    typeof charge?.limiter === 'string' && typeof charge.key === 'string' && Array.isArray(charge.policies)
  )
}

function partOf(receipt: Receipt, limiter: string): readonly Receipt[] {
  const charges = receipt.charges.filter((charge) => charge.limiter === limiter)
  for (const { costs, policies } of charges) checkCosts(costs, policies)
  return charges.length === 0 ? NONE : [{ ...receipt, charges }]
}
