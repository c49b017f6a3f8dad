import { resultOf } from '../algorithms/result.js'
import { Row } from '../algorithms/step.js'
import { type Charge, costOf } from '../model/charge.js'
import type { PolicyResult } from '../model/decision.js'
import type { Mode } from '../model/store.js'
import type { Rule, Table } from './table.js'

/** One charge for one policy: the common call, and the fast one. It decides as `Many` would. */
export class Single {
  readonly #row = new Row()

  decide(table: Table, charge: Charge, mode: Mode, now: number): PolicyResult {
    const rule = table.rulesFor(charge.policies)[0] as Rule
    const { policy, step, column } = rule
    const row = this.#row
    const cost = costOf(charge.costs, policy)
    const slot = table.keys.find(charge.key)
    column.load(slot, row)
    const wentBack = step.advance(policy, row, now)
    const wait = cost === 0 || mode === 'force' ? 0 : step.wait(policy, row, now, cost)
    const allowed = wait === 0
    if (mode !== 'peek' && (wentBack || (allowed && cost > 0))) {
      step.take(policy, row, now, allowed ? cost : 0)
      column.save(slot ?? table.keys.hold(charge.key), row)
    }
    return resultOf(charge, rule, row, { now, wait, allowed })
  }
}
