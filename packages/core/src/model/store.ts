import type { Charge, Costs, Receipt } from './charge.js'
import type { Debt } from './debt.js'
import type { Decision } from './decision.js'
import type { Policy } from './policy.js'

/** A value now, or a promise of it: what is known at once costs no promise. */
export type MaybePromise<T> = T | Promise<T>

/** `ask` decides and charges; `peek` decides and writes nothing; `force` charges without asking, into debt if need be. */
export type Mode = 'ask' | 'peek' | 'force'

/** Where limits are counted. A wrapper around a store is one small function with the same shape. */
export interface Store {
  /** All charges, each for another key or limiter, or none: ONE decision. Rejects with `RL_STORE` or `RL_DEADLINE` when it can't decide. */
  consume(charges: readonly Charge[], mode: Mode): MaybePromise<Decision>
  /** Corrects what a charge took to what it really cost, at most once, and gives back only in the window it took from. */
  settle(receipt: Receipt, costs: Costs): MaybePromise<void>
  /**
   * Charges what was admitted without it, as far as that would still count now had it been charged then; gives how many
   * debts it could not charge. Of calls with one id, within ten minutes, one charges: so a call that failed may be made
   * again. A store that lacks it can't be repaid.
   */
  readonly repay?: ((debts: readonly Debt[], id: string) => MaybePromise<number>) | undefined
  /** Forgets what was counted for a key. */
  reset(subject: Subject): MaybePromise<void>
  /** False while a call would fail at once, without being sent. A store that lacks it is always worth asking. */
  available?(): boolean
  /** False where one call can't hold these charges: in a cluster, keys of several slots. */
  together?(charges: readonly Charge[]): boolean
  /** Frees what the store itself made. May be called twice. */
  close(): MaybePromise<void>
}

/** One key of one limiter. */
export interface Subject {
  readonly limiter: string
  readonly key: string
  readonly policies: readonly Policy[]
}
