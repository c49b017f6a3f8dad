import type { Policy } from '../model/policy.js'
import type { LogEntries } from './log-entries.js'

/**
 * The state of one policy for one key: three whole numbers, whose meaning is the algorithm's, and for a sliding log its
 * entries. A row is scratch: nothing is kept until the store writes it back.
 */
export class Row {
  /** A time, or `FRESH`. */
  a: number = FRESH
  b = 0
  c = 0
  log: LogEntries | undefined = undefined
}

/** In `a`: nothing is known of this key. */
export const FRESH = -1

/** A wait that no passing of time ends. */
export const NEVER: number = Number.POSITIVE_INFINITY

/**
 * One algorithm, pure: no clock, no storage. `advance` comes first and brings the row to `now`; the others read or
 * change an advanced row. Times are whole milliseconds of at least 0, all numbers integers below 2^53.
 */
export interface Step<P extends Policy = Policy> {
  /** Brings the row to `now`. True: the clock had gone back, and the repair is to be kept even when the call is refused. */
  advance(policy: P, row: Row, now: number): boolean
  /** 0 when `cost` passes now, else milliseconds until it does, or `NEVER`. */
  wait(policy: P, row: Row, now: number, cost: number): number
  /** Charges, without asking. A cost of 0 only writes down what `advance` found. */
  take(policy: P, row: Row, now: number, cost: number): void
  /** Gives back part of what was charged at `at`, if that still counts; never more than there is. */
  giveBack(policy: P, row: Row, at: number, amount: number): void
  /** Largest cost that passes now. */
  remaining(policy: P, row: Row, now: number): number
  /** Milliseconds until the full limit is back. */
  reset(policy: P, row: Row, now: number): number
}
