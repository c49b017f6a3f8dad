import { resultOf } from '../algorithms/result.js'
import { Row } from '../algorithms/step.js'
import { type Charge, costOf } from '../model/charge.js'
import type { PolicyResult } from '../model/decision.js'
import type { Rule, Table } from './table.js'

/** One policy's part in a decision under way. */
class Entry {
  readonly row: Row = new Row()
  rule!: Rule
  wait = 0
  wentBack = false
}

/** One charge while it is decided. Reused from decision to decision, so it keeps nothing of the charge itself. */
export class Tally {
  readonly #entries: Entry[] = []
  #table!: Table
  #slot: number | undefined = undefined

  /** Loads the charge's rows and brings them to `now`; true when every policy admits. Writes nothing. */
  advance(table: Table, { key, policies, costs }: Charge, now: number): boolean {
    const rules = table.rulesFor(policies)
    this.#table = table
    this.#slot = table.keys.find(key)
    let admitted = true
    for (let i = 0; i < rules.length; i++) {
      const rule = rules[i] as Rule
      const { policy, step, column } = rule
      const entry = this.#entries[i] ?? this.#addEntry()
      const cost = costOf(costs, policy)
      column.load(this.#slot, entry.row)
      entry.rule = rule
      entry.wentBack = step.advance(policy, entry.row, now)
      entry.wait = cost === 0 ? 0 : step.wait(policy, entry.row, now, cost)
      if (entry.wait > 0) admitted = false
    }
    return admitted
  }

  /** Charges and writes all rows; of a refused charge only those whose clock had gone back. */
  write({ key, policies, costs }: Charge, now: number, allowed: boolean): void {
    for (let i = 0; i < policies.length; i++) {
      const { rule, row, wentBack } = this.#entries[i] as Entry
      const { policy, step, column } = rule
      const cost = allowed ? costOf(costs, policy) : 0
      if (cost === 0 && !wentBack) continue
      step.take(policy, row, now, cost)
      this.#slot ??= this.#table.keys.hold(key)
      column.save(this.#slot, row)
    }
  }

  /** How the charge's i-th policy stands now. */
  resultOf({ limiter, costs }: Charge, i: number, now: number, allowed: boolean): PolicyResult {
    const { rule, row, wait } = this.#entries[i] as Entry
    const cost = allowed ? costOf(costs, rule.policy) : 0
    return resultOf(rule, row, { limiter, now, wait, cost })
  }

  /** Another key of the same call may have pushed this one out: ask again where it is. */
  forgetSlot(): void {
    this.#slot = undefined
  }

  /** Nothing was asked: no wait is to be reported. */
  force(): void {
    for (const entry of this.#entries) entry.wait = 0
  }

  #addEntry(): Entry {
    const entry = new Entry()
    this.#entries.push(entry)
    return entry
  }
}
