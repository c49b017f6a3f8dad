import { actualOf, type Charge, type Costs, costOf, type Receipt } from '../model/charge.js'
import type { Debt } from '../model/debt.js'
import { type Policy, spanMs } from '../model/policy.js'
import type { Mode, Subject } from '../model/store.js'
import { NO_EXTRA, planOf, type WirePolicy } from './plan.js'
import { SCRIPTS, type Script } from './scripts.gen.js'
import type { Span } from './server-time.js'

const MODES: Readonly<Record<Mode, string>> = { ask: '0', peek: '1', force: '2' }

/** A number as text. Calls made within a millisecond have the same end, and making its text is a good part of a call's. */
class NumberText {
  #number = 0
  #text = '0'

  of(number: number): string {
    if (number !== this.#number) {
      this.#number = number
      this.#text = String(number)
    }
    return this.#text
  }
}

const UNTIL = new NumberText()
const SPAN = new NumberText()

/** The script that decides these charges: one a kind for a single policy, else one of two for any. */
export function scriptFor(charges: readonly Charge[]): Script {
  if (charges.length === 1) return planOf((charges[0] as Charge).policies).script
  const hasLog = charges.some(({ policies }) => planOf(policies).logTags.length > 0)
  return hasLog ? SCRIPTS.all : SCRIPTS.counters
}

/** The keys of a subject: its value, and a list for each sliding log, all in one slot. */
export function keysOf(value: string, policies: readonly Policy[]): string[] {
  const keys = [value]
  for (const tag of planOf(policies).logTags) keys.push(`${value}:${tag}`)
  return keys
}

/**
 * What the script that `scriptFor` names is asked. A question is one argument, a list in JSON: each argument costs the client
 * and the server more than what is in it.
 */
export function decisionQuestion(charges: readonly Charge[], mode: Mode, span: Span): string {
  const first = charges[0] as Charge
  if (charges.length === 1 && first.policies.length === 1) return question(span, singleList(first, mode))
  const subjects = charges.map((charge) =>
    policyList(charge, (policy) => String(costOf(charge.costs, policy))),
  )
  return question(span, `${MODES[mode]},[${subjects.join()}]`)
}

function question({ notBefore, notAfter }: Span, list: string): string {
  return `[${UNTIL.of(notAfter)},${SPAN.of(notAfter - notBefore)},${list}]`
}

/** A single policy: its number is known, and so is its kind, by the script. */
function singleList({ policies, costs }: Charge, mode: Mode): string {
  const [policy] = policies as readonly [Policy]
  const { numbers, extra } = planOf(policies).policies[0] as WirePolicy
  const list = `${costOf(costs, policy)},${numbers}`
  if (mode !== 'ask') return `${list},${extra},${MODES[mode]}`
  return extra === NO_EXTRA ? list : `${list},${extra}`
}

/** How long a settlement is remembered: for as long as it could do harm, and for the retries of a caller. */
const MARK_MS = 60_000

/** Keys of the settle script, and what it is asked: for each policy the difference to what was charged at `at`. */
export function settleCall(
  value: string,
  charge: Charge,
  { id, at }: Pick<Receipt, 'id' | 'at'>,
  actual: Costs,
): { readonly keys: readonly string[]; readonly questionFor: (span: Span) => string } {
  const { policies, costs } = charge
  const list = policyList(charge, (policy) =>
    String(actualOf(actual, charge, policy) - costOf(costs, policy)),
  )
  const markMs = Math.max(MARK_MS, ...policies.map((policy) => 2 * spanMs(policy)))
  const [, ...lists] = keysOf(value, policies)
  return {
    keys: [value, `${value}:settled:${id}`, ...lists],
    questionFor: (span) => question(span, `${at},${markMs},${list}`),
  }
}

/** How long a repayment is remembered: for as long as it may be tried again. */
const REPAID_MS = 600_000

/** What the repay script is asked. `timeOf` tells the server's time that was so many milliseconds ago. */
export function repayQuestion(debts: readonly Debt[], span: Span, timeOf: (agoMs: number) => number): string {
  const subjects = debts.map((debt) =>
    policyList(debt, (_, i) => {
      const parts = (debt.parts[i] ?? []).map(({ agoMs, cost }) => `[${timeOf(agoMs)},${cost}]`)
      return `[${parts.join()}]`
    }),
  )
  return question(span, `${REPAID_MS},[${subjects.join()}]`)
}

/** The policies of a subject, each with what is asked of it. */
function policyList({ policies }: Subject, askedOf: (policy: Policy, i: number) => string): string {
  const plan = planOf(policies)
  const lists = policies.map((policy, i) => {
    const { numbers, extra } = plan.policies[i] as WirePolicy
    return `["${policy.kind}",${numbers},${extra},${askedOf(policy, i)}]`
  })
  return `[${lists.join()}]`
}
