import { actualOf, type Charge, type Costs, costOf, type Receipt } from '../model/charge.js'
import type { Debt } from '../model/debt.js'
import { type Policy, spanMs } from '../model/policy.js'
import type { Mode } from '../model/store.js'
import { NO_EXTRA, planOf, type WirePolicy } from './plan.js'
import { SCRIPTS, type Script } from './scripts.gen.js'
import type { Span } from './server-time.js'

const MODES: Readonly<Record<Mode, string>> = { ask: '0', peek: '1', force: '2' }

/** A time as text. Calls made within a millisecond have the same, and making it is a good part of making their arguments. */
class TimeText {
  #time = 0
  #text = '0'

  of(time: number): string {
    if (time !== this.#time) {
      this.#time = time
      this.#text = String(time)
    }
    return this.#text
  }
}

const FROM = new TimeText()
const UNTIL = new TimeText()

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

/** Arguments of the script that `scriptFor` names. */
export function askArguments(charges: readonly Charge[], mode: Mode, span: Span): string[] {
  const first = charges[0] as Charge
  if (charges.length === 1 && first.policies.length === 1) return singleArguments(first, mode, span)
  const list = [MODES[mode], '1', FROM.of(span.notBefore), UNTIL.of(span.notAfter), String(charges.length)]
  for (const charge of charges) {
    list.push(...subjectArguments(charge, (policy) => costOf(charge.costs, policy)))
  }
  return list
}

/** A single policy: its number is known, and so is its kind, by the script. */
function singleArguments({ policies, costs }: Charge, mode: Mode, { notBefore, notAfter }: Span): string[] {
  const [policy] = policies as readonly [Policy]
  const [, tag, limit, window, extra] = (planOf(policies).policies[0] as WirePolicy).list
  const cost = String(costOf(costs, policy))
  const list = [MODES[mode], FROM.of(notBefore), UNTIL.of(notAfter), cost, tag, limit, window]
  if (extra !== NO_EXTRA) list.push(extra)
  return list
}

/** How long a settlement is remembered: for as long as it could do harm, and for the retries of a caller. */
const MARK_MS = 60_000

/** Keys and arguments of the settle script: for each policy the difference to what was charged at `at`. */
export function settleCall(
  value: string,
  charge: Charge,
  { id, at }: Pick<Receipt, 'id' | 'at'>,
  actual: Costs,
): { readonly keys: readonly string[]; readonly argumentsFor: (span: Span) => string[] } {
  const { policies, costs } = charge
  const subject = subjectArguments(
    charge,
    (policy) => actualOf(actual, charge, policy) - costOf(costs, policy),
  )
  const markMs = Math.max(MARK_MS, ...policies.map((policy) => 2 * spanMs(policy)))
  const [, ...lists] = keysOf(value, policies)
  return {
    keys: [value, `${value}:settled:${id}`, ...lists],
    argumentsFor: ({ notBefore, notAfter }: Span): string[] => [
      String(at),
      String(notBefore),
      String(notAfter),
      String(markMs),
      ...subject,
    ],
  }
}

/** How long a repayment is remembered: for as long as it may be tried again. */
const REPAID_MS = 600_000

/** Arguments of the repay script. `timeOf` tells the server's time that was so many milliseconds ago. */
export function repayArguments(
  debts: readonly Debt[],
  span: Span,
  timeOf: (agoMs: number) => number,
): string[] {
  const list = [String(REPAID_MS), String(span.notBefore), String(span.notAfter), String(debts.length)]
  for (const { policies, parts } of debts) {
    const plan = planOf(policies)
    list.push(String(policies.length))
    for (let i = 0; i < policies.length; i++) {
      const own = parts[i] ?? []
      list.push(...(plan.policies[i] as WirePolicy).list, String(own.length))
      for (const { agoMs, cost } of own) list.push(String(timeOf(agoMs)), String(cost))
    }
  }
  return list
}

function subjectArguments({ policies }: Charge, numberFor: (policy: Policy) => number): string[] {
  const plan = planOf(policies)
  const list = [String(policies.length)]
  for (let i = 0; i < policies.length; i++) {
    list.push(...(plan.policies[i] as WirePolicy).list, String(numberFor(policies[i] as Policy)))
  }
  return list
}
