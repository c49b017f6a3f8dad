import type { Charge, Costs, Receipt } from '../model/charge.js'
import type { Debt } from '../model/debt.js'
import type { Decision } from '../model/decision.js'
import type { BreakerState, OnEvent } from '../model/event.js'
import { isPromise } from '../model/maybe-promise.js'
import type { MaybePromise, Mode, Store, Subject } from '../model/store.js'
import { after, type Timer } from '../model/timers.js'
import { DOWN } from './store-error.js'
import { Teller } from './teller.js'

export interface BreakerOptions {
  /** False while a call would only wait for a connection. */
  readonly isReady?: (() => boolean) | undefined
  /** True for an error that speaks of one key: a store that answers with it is well. */
  readonly isOfOneKey?: ((error: unknown) => boolean) | undefined
  /** Must not throw. */
  readonly onEvent?: OnEvent | undefined
}

const FAILURES_IN_A_ROW = 5
const PROBE_EVERY_MS = 500

/**
 * Keeps calls from a store that fails: after five failures in a row none is sent until a probe succeeds. A probe asks what
 * a failed call asked, charges nothing, and no request waits for it.
 */
export function breaker(store: Store, options: BreakerOptions = {}): Breaker {
  return new Breaker(store, options)
}

export class Breaker implements Store {
  /** Where the store can. */
  readonly repay: Store['repay']
  readonly #store: Store
  readonly #isReady: () => boolean
  readonly #isOfOneKey: (error: unknown) => boolean
  readonly #teller: Teller
  #failures = 0
  #isOpen = false
  #isClosedForGood = false
  /** How often it has recovered. A call of before that fails later says nothing of the store as it is now. */
  #recoveries = 0
  /** What a failed call asked. */
  #question: readonly Charge[] | undefined
  #timer: Timer | undefined

  constructor(store: Store, { isReady, isOfOneKey, onEvent }: BreakerOptions) {
    this.#store = store
    this.#isReady = isReady ?? (() => true)
    this.#isOfOneKey = isOfOneKey ?? (() => false)
    this.#teller = new Teller(onEvent)
    const repay = store.repay?.bind(store)
    this.repay =
      repay && ((debts, id) => apart(this.#watch(() => repay(debts, id), debts.slice(0, 1).map(chargeOf))))
  }

  get breaker(): BreakerState {
    return this.#isOpen ? 'open' : 'closed'
  }

  available(): boolean {
    return !this.#isOpen && this.#isReady()
  }

  consume(charges: readonly Charge[], mode: Mode): MaybePromise<Decision> {
    return this.#watch(() => this.#store.consume(charges, mode), charges)
  }

  settle(receipt: Receipt, costs: Costs): MaybePromise<void> {
    return apart(this.#watch(() => this.#store.settle(receipt, costs), receipt.charges))
  }

  reset(subject: Subject): MaybePromise<void> {
    return apart(this.#watch(() => this.#store.reset(subject), undefined))
  }

  together(charges: readonly Charge[]): boolean {
    return this.#store.together?.(charges) !== false
  }

  close(): MaybePromise<void> {
    this.#isClosedForGood = true
    this.#timer?.stop()
    return this.#store.close()
  }

  #watch<T>(call: () => MaybePromise<T>, question: readonly Charge[] | undefined): MaybePromise<T> {
    if (!this.available()) throw DOWN
    const sentAfter = this.#recoveries
    const result = call()
    if (!isPromise(result)) return result
    // Beside whoever waits for a decision, who need not wait for this too.
    result.then(
      () => {
        this.#failures = 0
      },
      (error: unknown) => {
        if (sentAfter === this.#recoveries && !this.#isOfOneKey(error)) this.#failed(question)
      },
    )
    return result
  }

  #failed(question: readonly Charge[] | undefined): void {
    this.#failures++
    this.#question = question ?? this.#question
    if (this.#isOpen || this.#failures < FAILURES_IN_A_ROW) return
    this.#isOpen = true
    this.#probeLater()
    this.#tell()
  }

  #probeLater(): void {
    if (!this.#isClosedForGood) this.#timer = after(PROBE_EVERY_MS, () => this.#probe())
  }

  #probe(): void {
    const question = this.#question
    if (!this.#isReady()) this.#probeLater()
    else if (question === undefined) this.#recovered()
    // Through a promise, whatever the store returns or throws.
    else
      Promise.resolve()
        .then(() => this.#store.consume(question, 'peek'))
        .then(
          () => this.#recovered(),
          (error) => (this.#isOfOneKey(error) ? this.#recovered() : this.#probeLater()),
        )
  }

  #recovered(): void {
    this.#isOpen = false
    this.#failures = 0
    this.#recoveries++
    this.#tell()
  }

  #tell(): void {
    this.#teller.tell({ type: 'breaker', state: this.breaker })
  }
}

/** A promise that nobody handles yet: else its failure would be no news to whoever does not wait. */
function apart<T>(result: MaybePromise<T>): MaybePromise<T> {
  return isPromise(result) ? result.then((value) => value) : result
}

function chargeOf({ limiter, key, policies }: Debt): Charge {
  return { limiter, key, policies, costs: 1 }
}
