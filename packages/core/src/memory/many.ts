import type { Charge } from '../model/charge.js'
import type { PolicyResult } from '../model/decision.js'
import type { Mode } from '../model/store.js'
import type { Table } from './table.js'
import { Tally } from './tally.js'

/** Charges for any list of policies in one decision: all or nothing. */
export class Many {
  readonly #tableOf: (limiter: string) => Table
  readonly #tallies: Tally[] = []

  constructor(tableOf: (limiter: string) => Table) {
    this.#tableOf = tableOf
  }

  decide(charges: readonly Charge[], mode: Mode, now: number): readonly PolicyResult[] {
    const allowed = this.#advance(charges, now) || mode === 'force'
    let results: PolicyResult[] | undefined
    for (let c = 0; c < charges.length; c++) {
      const charge = charges[c] as Charge
      const tally = this.#tallies[c] as Tally
      if (mode === 'force') tally.force()
      if (charges.length > 1) tally.forgetSlot()
      if (mode !== 'peek') tally.write(charge, now, allowed)
      for (let i = 0; i < charge.policies.length; i++) {
        const result = tally.resultOf(charge, i, now, allowed)
        // A literal has room for one; an array that grows from nothing takes room for seventeen.
        if (results === undefined) results = [result]
        else results.push(result)
      }
    }
    return results ?? []
  }

  #advance(charges: readonly Charge[], now: number): boolean {
    let admitted = true
    for (let c = 0; c < charges.length; c++) {
      const charge = charges[c] as Charge
      if (this.#tallies.length === c) this.#tallies.push(new Tally())
      if (!(this.#tallies[c] as Tally).advance(this.#tableOf(charge.limiter), charge, now)) admitted = false
    }
    return admitted
  }
}
