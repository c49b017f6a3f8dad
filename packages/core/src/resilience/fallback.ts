import type { Charge, Costs, Receipt } from '../model/charge.js'
import type { Decision, Uncounted } from '../model/decision.js'
import type { RateLimitError } from '../model/errors.js'
import type { Emergency, OnEvent } from '../model/event.js'
import { chain, isPromise } from '../model/maybe-promise.js'
import type { MaybePromise, Mode, Store, Subject } from '../model/store.js'
import { kindOf } from './error-kind.js'
import { isDecision } from './is-decision.js'
import type { Outage } from './outage.js'
import type { Repayment } from './repayment.js'
import { CHARGED_SINCE, isUnsent, NO_DECISION, NOT_ASKED, storeError } from './store-error.js'
import { Teller } from './teller.js'

/** What decides when the store can't: a store in this process, or one answer for all. */
export type Standby =
  | { readonly decided: 'local'; readonly store: Store }
  | { readonly decided: 'open' | 'closed' }

export interface FallbackOptions {
  readonly standby: Standby
  readonly outage: Outage
  /** Charges to the store, when it is back, what the stand-by admitted. */
  readonly repayment?: Repayment | undefined
  /** Must not throw. */
  readonly onEvent?: OnEvent | undefined
}

const UNCOUNTED: Readonly<Record<'open' | 'closed', Uncounted>> = {
  open: { counted: false, allowed: true, source: 'open', reason: 'store-failed' },
  closed: { counted: false, allowed: false, source: 'closed', reason: 'store-failed' },
}

/** The store, and a stand-by for each call that it fails. Never rejects for a failure of the store, `reset` apart. */
export function fallback(store: Store, options: FallbackOptions): Fallback {
  return new Fallback(store, options)
}

/** Decides without the store, which failed with that error. */
type StandIn = (error: RateLimitError) => MaybePromise<Decision>

export class Fallback implements Store {
  readonly #store: Store
  readonly #standby: Standby
  readonly #outage: Outage
  readonly #repayment: Repayment | undefined
  readonly #teller: Teller
  /** In receipts of the stand-by. */
  #localId: string | undefined

  constructor(store: Store, { standby, outage, repayment, onEvent }: FallbackOptions) {
    this.#store = store
    this.#standby = standby
    this.#outage = outage
    this.#repayment = repayment
    this.#teller = new Teller(onEvent)
  }

  available(): boolean {
    return this.#store.available?.() !== false
  }

  /** What is done when the store fails. */
  get decided(): Emergency {
    return this.#standby.decided
  }

  consume(charges: readonly Charge[], mode: Mode): MaybePromise<Decision> {
    // In an outage not even a function is made for it.
    if (!this.available()) return this.standIn(charges, mode, NOT_ASKED)
    return this.attempt(charges, mode, (error) => this.standIn(charges, mode, error))
  }

  /** Asks the store; `standIn` decides when it fails. */
  attempt(charges: readonly Charge[], mode: Mode, standIn: StandIn): MaybePromise<Decision> {
    if (!this.available()) return standIn(NOT_ASKED)
    let decision: MaybePromise<Decision>
    try {
      decision = this.#store.consume(charges, mode)
    } catch (error) {
      return standIn(storeError(error))
    }
    if (!isPromise(decision)) return this.#decided(decision, standIn)
    return decision.then(
      (value) => this.#decided(value, standIn),
      (error: unknown) => standIn(storeError(error)),
    )
  }

  /** Decides as the stand-by does, and tells of it. */
  standIn(charges: readonly Charge[], mode: Mode, error: RateLimitError): MaybePromise<Decision> {
    const standby = this.#standby
    this.#outage.failed(error, standby.decided, error === NOT_ASKED)
    if (this.#teller.isHeard) {
      const { decided } = standby
      this.#teller.tell({
        type: 'store-failure',
        limiter: nameOf(charges),
        kind: kindOf(error),
        error,
        decided,
      })
    }
    if (standby.decided !== 'local') return UNCOUNTED[standby.decided]
    const decision = standby.store.consume(charges, mode)
    if (this.#localId === undefined) void chain(decision, (value) => this.#learnId(value))
    // Of a call that was sent nobody knows whether it was charged.
    if (this.#repayment !== undefined && isUnsent(error)) void chain(decision, (value) => this.#owe(value))
    return decision
  }

  /** Where it was charged, and nowhere else: what can't be corrected there is dropped, and told. */
  settle(receipt: Receipt, costs: Costs): MaybePromise<void> {
    if (receipt.store === this.#localId) return this.#settleLocal(receipt, costs)
    if (!this.available()) return this.#dropped(receipt, NOT_ASKED)
    return Promise.resolve()
      .then(() => this.#store.settle(receipt, costs))
      .catch((error: unknown) => this.#dropped(receipt, storeError(error)))
  }

  /** Rejects when the store fails: who resets a key must know that it is not reset. */
  reset(subject: Subject): MaybePromise<void> {
    this.#repayment?.forget(subject.limiter, subject.key)
    return chain(
      this.#local((store) => store.reset(subject)),
      () => {
        try {
          return this.#store.reset(subject)
        } catch (error) {
          return Promise.reject(error)
        }
      },
    )
  }

  close(): MaybePromise<void> {
    this.#repayment?.close()
    return this.#local((store) => store.close())
  }

  #settleLocal(receipt: Receipt, costs: Costs): MaybePromise<void> {
    if (this.#repayment?.correct(receipt, costs) === false) {
      this.#tellDropped(receipt, CHARGED_SINCE)
    }
    return this.#local((store) => store.settle(receipt, costs))
  }

  #owe(decision: Decision): void {
    if (decision.counted && decision.receipt !== null) this.#repayment?.admitted(decision.receipt)
  }

  #local(act: (store: Store) => MaybePromise<void>): MaybePromise<void> {
    return this.#standby.decided === 'local' ? act(this.#standby.store) : undefined
  }

  #decided(decision: Decision, standIn: StandIn): MaybePromise<Decision> {
    if (!isDecision(decision)) return standIn(NO_DECISION)
    // A late answer of a store that is known to be down ends nothing.
    if (this.#outage.isOn && this.available()) this.#outage.succeeded()
    return decision
  }

  #learnId(decision: Decision): void {
    if (decision.counted) this.#localId = decision.receipt?.store
  }

  #dropped(receipt: Receipt, error: RateLimitError): void {
    this.#outage.settleDropped(error)
    this.#tellDropped(receipt, error)
  }

  #tellDropped({ charges }: Receipt, error: RateLimitError): void {
    if (!this.#teller.isHeard) return
    this.#teller.tell({ type: 'settle-dropped', limiter: nameOf(charges), kind: kindOf(error), error })
  }
}

function nameOf(charges: readonly Charge[]): string {
  return charges[0]?.limiter ?? ''
}
