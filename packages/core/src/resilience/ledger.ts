import { actualOf, type Costs, costOf, type Receipt } from '../model/charge.js'
import type { Debt } from '../model/debt.js'
import { Owed } from './owed.js'

/** Debts that are to be charged, and how many decisions they stand for. */
export interface Taken {
  readonly admissions: number
  /** The debts as they are at `now` of the monotonic clock. */
  debtsAt(now: number): readonly Debt[]
  /** The same, each key by itself. */
  split(): readonly Taken[]
  /** Leaves a key out from now on. */
  forget(limiter: string, key: string): void
}

/** What was admitted without the store. Bounded: one key more than it holds is not remembered. */
export class Ledger {
  readonly #maxSubjects: number
  readonly #owed = new Map<string, Owed>()

  constructor(maxSubjects: number) {
    this.#maxSubjects = maxSubjects
  }

  get size(): number {
    return this.#owed.size
  }

  /** Remembers a decision made without the store. False: there is no room for some of it. */
  add({ charges, id, at }: Receipt, now: number): boolean {
    let isKept = true
    for (const { limiter, key, policies, costs } of charges) {
      const owed = this.#owedBy(limiter, key)
      if (owed === undefined) {
        isKept = false
        continue
      }
      owed.admissions++
      for (const policy of policies) {
        if (!owed.add(policy, { id, cost: costOf(costs, policy), at, now })) isKept = false
      }
    }
    return isKept
  }

  /** Corrects a decision: less as long as it is here, more as if it was admitted now. False: some of it stays as it was. */
  correct(
    { charges, id, at }: Receipt,
    actual: Costs,
    time: { readonly at: number; readonly now: number },
  ): boolean {
    let isCorrected = true
    for (const charge of charges) {
      for (const policy of charge.policies) {
        const more = actualOf(actual, charge, policy) - costOf(charge.costs, policy)
        const isDone =
          more > 0
            ? this.#owedBy(charge.limiter, charge.key)?.add(policy, { id, cost: more, ...time })
            : more === 0 || this.#owed.get(nameOf(charge))?.forgive(policy, { id, cost: -more, at })
        if (isDone !== true) isCorrected = false
      }
    }
    return isCorrected
  }

  /** Takes out the debts of at most so many keys, those first that have owed for longest. */
  take(most: number): Taken {
    const taken: Owed[] = []
    for (const [name, owed] of this.#owed) {
      if (taken.length === most) break
      taken.push(owed)
      this.#owed.delete(name)
    }
    return new TakenDebts(taken)
  }

  forget(limiter: string, key: string): void {
    this.#owed.delete(nameOf({ limiter, key }))
  }

  #owedBy(limiter: string, key: string): Owed | undefined {
    const name = nameOf({ limiter, key })
    const known = this.#owed.get(name)
    if (known !== undefined || this.#owed.size >= this.#maxSubjects) return known
    const owed = new Owed(limiter, key)
    this.#owed.set(name, owed)
    return owed
  }
}

class TakenDebts implements Taken {
  readonly admissions: number
  readonly #owed: readonly Owed[]

  constructor(owed: readonly Owed[]) {
    this.#owed = owed
    this.admissions = owed.reduce((sum, { admissions }) => sum + admissions, 0)
  }

  debtsAt(now: number): readonly Debt[] {
    return this.#owed.map((owed) => owed.debtAt(now))
  }

  split(): readonly Taken[] {
    return this.#owed.map((owed) => new TakenDebts([owed]))
  }

  /** Its name stays: the call's id goes with the first. */
  forget(limiter: string, key: string): void {
    this.#owed.find((one) => one.limiter === limiter && one.key === key)?.clear()
  }
}

function nameOf({ limiter, key }: { readonly limiter: string; readonly key: string }): string {
  // No name of a limiter has a line break.
  return `${limiter}\n${key}`
}
