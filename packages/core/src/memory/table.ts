import { stepOf } from '../algorithms/index.js'
import { FRESH, Row } from '../algorithms/step.js'
import { actualOf, type Charge, type Costs, costOf } from '../model/charge.js'
import { identityOf, MAX_POLICIES } from '../model/limit.js'
import type { Policy } from '../model/policy.js'
import { Column } from './column.js'
import { KeySlots, type SlotOwner } from './key-slots.js'

interface Kept {
  readonly column: Column
  policy: Policy
}

/** Everything counted for one limiter: which slot a key has, and a column of rows for each of its policies. */
export class Table implements SlotOwner {
  readonly limiter: string
  readonly keys: KeySlots
  /** Used-up keys that had to be forgotten. */
  forgotten = 0
  readonly #now: () => number
  readonly #onFirstForgotten: () => void
  readonly #columns = new Map<string, Kept>()
  readonly #scratch = new Row()
  #lastPolicies: readonly Policy[] = []
  #lastColumns: readonly Column[] = []

  constructor(limiter: string, maxKeys: number, now: () => number, onFirstForgotten: () => void) {
    this.limiter = limiter
    this.#now = now
    this.#onFirstForgotten = onFirstForgotten
    this.keys = new KeySlots(maxKeys, this)
  }

  /** A column for each policy. The last answer is remembered: a limiter mostly asks with one list of policies. */
  columnsOf(policies: readonly Policy[]): readonly Column[] {
    if (policies !== this.#lastPolicies) {
      this.#lastColumns = policies.map((policy) => this.#columnOf(policy))
      this.#lastPolicies = policies
    }
    return this.#lastColumns
  }

  /** Corrects what a charge at `at` took to what it should have taken. Never makes a key to give something back. */
  settle(charge: Charge, actual: Costs, now: number, at: number): void {
    const columns = this.columnsOf(charge.policies)
    const row = this.#scratch
    for (const [i, policy] of charge.policies.entries()) {
      const more = actualOf(actual, charge, policy) - costOf(charge.costs, policy)
      const slot = more > 0 ? this.keys.hold(charge.key) : this.keys.find(charge.key)
      if (more === 0 || slot === undefined) continue
      const column = columns[i] as Column
      column.load(slot, row)
      if (more < 0 && row.a === FRESH) continue
      column.step.advance(policy, row, now)
      if (more > 0) column.step.take(policy, row, now, more)
      else column.step.giveBack(policy, row, at, -more)
      column.save(slot, row)
    }
  }

  isUsedUp(slot: number): boolean {
    const now = this.#now()
    for (const { column, policy } of this.#columns.values()) {
      if (policy.limit === 0) continue
      column.load(slot, this.#scratch)
      column.step.advance(policy, this.#scratch, now)
      if (column.step.remaining(policy, this.#scratch, now) < 1) return true
    }
    return false
  }

  clear(slot: number): void {
    for (const { column } of this.#columns.values()) column.clear(slot)
  }

  onForgotten(): void {
    this.forgotten++
    if (this.forgotten === 1) this.#onFirstForgotten()
  }

  /** Policies that differ in more than their limit have columns of their own; the one unused for longest makes room. */
  #columnOf(policy: Policy): Column {
    const identity = identityOf(policy)
    const kept = this.#columns.get(identity) ?? { column: new Column(stepOf(policy)), policy }
    kept.policy = policy
    this.#columns.delete(identity)
    this.#columns.set(identity, kept)
    const [oldest] = this.#columns.keys()
    if (this.#columns.size > MAX_POLICIES && oldest !== undefined) this.#columns.delete(oldest)
    return kept.column
  }
}
