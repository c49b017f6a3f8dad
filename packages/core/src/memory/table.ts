import { stepOf } from '../algorithms/index.js'
import type { Ruled } from '../algorithms/result.js'
import { FRESH, Row } from '../algorithms/step.js'
import { actualOf, type Charge, type Costs, costOf } from '../model/charge.js'
import { identityOf, MAX_POLICIES } from '../model/limit.js'
import { type Policy, spanMs } from '../model/policy.js'
import { type Column, columnFor } from './column.js'
import { KeySlots, type SlotOwner } from './key-slots.js'

/** A policy, and where its rows are. */
export interface Rule extends Ruled {
  readonly column: Column
}

/** Everything counted for one limiter: which slot a key has, and a column of rows for each of its policies. */
export class Table implements SlotOwner {
  readonly limiter: string
  readonly keys: KeySlots
  /** Used-up keys that had to be forgotten. */
  forgotten = 0
  readonly #now: () => number
  readonly #onFirstForgotten: () => void
  readonly #rules = new Map<string, Rule>()
  readonly #scratch = new Row()
  #lastPolicies: readonly Policy[] = []
  #lastRules: readonly Rule[] = []

  constructor(limiter: string, maxKeys: number, now: () => number, onFirstForgotten: () => void) {
    this.limiter = limiter
    this.#now = now
    this.#onFirstForgotten = onFirstForgotten
    this.keys = new KeySlots(maxKeys, this)
  }

  /**
   * A rule for each policy. The last answer is remembered: a limiter mostly asks with one list of policies. It is read
   * instead of that list, which is frozen: V8 has no fast path for the elements of frozen arrays.
   */
  rulesFor(policies: readonly Policy[]): readonly Rule[] {
    return policies === this.#lastPolicies ? this.#lastRules : this.#otherRules(policies)
  }

  #otherRules(policies: readonly Policy[]): readonly Rule[] {
    this.#lastRules = policies.map((policy) => this.#ruleFor(policy))
    this.#lastPolicies = policies
    return this.#lastRules
  }

  /** Corrects what a charge at `at` took to what it should have taken. Never makes a key to give something back. */
  settle(charge: Charge, actual: Costs, now: number, at: number): void {
    const row = this.#scratch
    for (const { policy, step, column } of this.rulesFor(charge.policies)) {
      const more = actualOf(actual, charge, policy) - costOf(charge.costs, policy)
      const slot = more > 0 ? this.keys.hold(charge.key) : this.keys.find(charge.key)
      if (more === 0 || slot === undefined) continue
      column.load(slot, row)
      if (more < 0 && row.a === FRESH) continue
      step.advance(policy, row, now)
      if (more > 0) step.take(policy, row, now, more)
      else step.giveBack(policy, row, at, -more)
      column.save(slot, row)
    }
  }

  isUsedUp(slot: number): boolean {
    const now = this.#now()
    for (const { policy, step, column } of this.#rules.values()) {
      if (policy.limit === 0) continue
      column.load(slot, this.#scratch)
      step.advance(policy, this.#scratch, now)
      if (step.remaining(policy, this.#scratch, now) < 1) return true
    }
    return false
  }

  clear(slot: number): void {
    for (const { column } of this.#rules.values()) column.clear(slot)
  }

  onForgotten(): void {
    this.forgotten++
    if (this.forgotten === 1) this.#onFirstForgotten()
  }

  /** Policies that differ in more than their limit have columns of their own; the one unused for longest makes room. */
  #ruleFor(policy: Policy): Rule {
    const identity = identityOf(policy)
    const column = this.#rules.get(identity)?.column ?? columnFor(policy)
    const rule = { policy, step: stepOf(policy), windowMs: spanMs(policy), column }
    this.#rules.delete(identity)
    this.#rules.set(identity, rule)
    const [oldest] = this.#rules.keys()
    if (this.#rules.size > MAX_POLICIES && oldest !== undefined) this.#rules.delete(oldest)
    return rule
  }
}
