import type { LogEntries } from '../algorithms/log-entries.js'
import { FRESH, Row } from '../algorithms/step.js'
import type { Policy } from '../model/policy.js'

const WIDTH = 3

/** A column for the rows of that policy. */
export function columnFor({ kind }: Policy): Column {
  return kind === 'sliding-log' ? new LogColumn() : new Column()
}

/** The rows of one policy, a slot each, side by side in one flat array: a key costs 24 bytes here, and no object. */
export class Column {
  #rows = new Float64Array(0)

  /** Copies the row of a slot, or a fresh one where nothing was kept (`undefined`, or a slot it has not seen). */
  load(slot: number | undefined, row: Row): void {
    const rows = this.#rows
    if (slot === undefined || slot * WIDTH >= rows.length) {
      freshen(row)
      return
    }
    const at = slot * WIDTH
    row.a = rows[at] as number
    row.b = rows[at + 1] as number
    row.c = rows[at + 2] as number
  }

  save(slot: number, row: Row): void {
    const at = slot * WIDTH
    const rows = at < this.#rows.length ? this.#rows : this.#grown(slot)
    rows[at] = row.a
    rows[at + 1] = row.b
    rows[at + 2] = row.c
  }

  clear(slot: number): void {
    if (slot * WIDTH < this.#rows.length) this.save(slot, EMPTY)
  }

  #grown(slot: number): Float64Array {
    const rows = new Float64Array(Math.max(64, 2 ** Math.ceil(Math.log2(slot + 1))) * WIDTH)
    rows.set(this.#rows)
    for (let at = this.#rows.length; at < rows.length; at += WIDTH) rows[at] = FRESH
    this.#rows = rows
    return rows
  }
}

/** Beside each row the entries of its log. */
class LogColumn extends Column {
  readonly #logs: (LogEntries | undefined)[] = []

  override load(slot: number | undefined, row: Row): void {
    super.load(slot, row)
    row.log = slot === undefined ? undefined : this.#logs[slot]
  }

  override save(slot: number, row: Row): void {
    super.save(slot, row)
    if (row.log !== undefined) this.#logs[slot] = row.log
  }

  override clear(slot: number): void {
    super.clear(slot)
    if (this.#logs[slot] !== undefined) this.#logs[slot] = undefined
  }
}

const EMPTY = new Row()

function freshen(row: Row): void {
  row.a = FRESH
  row.b = 0
  row.c = 0
}
