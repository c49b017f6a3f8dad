import type { LogEntries } from '../algorithms/log-entries.js'
import { FRESH, type Row } from '../algorithms/step.js'

const WIDTH = 3

/** The rows of one policy, a slot each, side by side in one flat array: a key costs 24 bytes here, and no object. */
export class Column {
  #rows = new Float64Array(0)
  readonly #logs: (LogEntries | undefined)[] = []

  /** Copies the row of a slot, or a fresh one where nothing was kept (`undefined`, or a slot it has not seen). */
  load(slot: number | undefined, row: Row): void {
    const rows = this.#rows
    const at = slot === undefined ? rows.length : slot * WIDTH
    if (at >= rows.length) {
      row.a = FRESH
      row.b = 0
      row.c = 0
      row.log = undefined
      return
    }
    row.a = rows[at] as number
    row.b = rows[at + 1] as number
    row.c = rows[at + 2] as number
    row.log = this.#logs[slot as number]
  }

  save(slot: number, row: Row): void {
    const at = slot * WIDTH
    if (at >= this.#rows.length) this.#grow(slot)
    const rows = this.#rows
    rows[at] = row.a
    rows[at + 1] = row.b
    rows[at + 2] = row.c
    if (row.log !== undefined) this.#logs[slot] = row.log
  }

  clear(slot: number): void {
    const at = slot * WIDTH
    if (at >= this.#rows.length) return
    this.#rows[at] = FRESH
    this.#rows[at + 1] = 0
    this.#rows[at + 2] = 0
    if (this.#logs[slot] !== undefined) this.#logs[slot] = undefined
  }

  #grow(slot: number): void {
    const rows = new Float64Array(Math.max(64, 2 ** Math.ceil(Math.log2(slot + 1))) * WIDTH)
    rows.set(this.#rows)
    for (let at = this.#rows.length; at < rows.length; at += WIDTH) rows[at] = FRESH
    this.#rows = rows
  }
}
