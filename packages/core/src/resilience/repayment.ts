import type { Costs, Receipt } from '../model/charge.js'
import type { OnEvent } from '../model/event.js'
import type { Logger } from '../model/logger.js'
import type { Store } from '../model/store.js'
import { after, monotonicNow, type Timer } from '../model/timers.js'
import { Ledger, type Taken } from './ledger.js'
import { log } from './listener.js'
import { DOWN } from './store-error.js'
import { Teller } from './teller.js'

export interface RepaymentOptions {
  readonly limiter: string
  readonly logger: Logger
  /** Must not throw. */
  readonly onEvent?: OnEvent | undefined
  /** True the first time that it is told of an id. */
  readonly isFirst: (id: string) => boolean
}

/** Keys that one limiter remembers. */
const MAX_SUBJECTS = 10_000
/** Keys in one call: a server decides beside it. */
const MAX_IN_CALL = 64
const CALLS_AT_ONCE = 4
/** A look at the store every half to whole second: processes that lost it together do not all come back together. */
const LOOK_EVERY_MS = 500
const TELL_EVERY_MS = 5000
/** The store knows a call again for ten minutes. */
const TRY_FOR_MS = 540_000

/** With its id it can be made again, and charges once. */
interface Call {
  readonly id: string
  readonly taken: Taken
  sentAt: number | undefined
}

/** Charges to a store that is back what was admitted without it: in the background, in few calls, each decision once. */
export class Repayment {
  readonly #store: Store
  readonly #options: RepaymentOptions
  readonly #ledger = new Ledger(MAX_SUBJECTS)
  /** Calls to be made before others. */
  readonly #calls: Call[] = []
  readonly #underWay = new Set<Call>()
  #process = ''
  #made = 0
  #timer: Timer | undefined
  #isClosed = false
  #toldAt = Number.NEGATIVE_INFINITY
  #decisions = 0
  #dropped = 0

  constructor(store: Store, options: RepaymentOptions) {
    this.#store = store
    this.#options = options
  }

  /** A decision was made without the store, which was not asked. */
  admitted(receipt: Receipt): void {
    if (this.#isClosed) return
    if (!this.#ledger.add(receipt, monotonicNow())) this.#dropped++
    this.#lookLater()
  }

  /** A decision made without the store is settled. False: the store was charged for it, and that stays. */
  correct(receipt: Receipt, actual: Costs): boolean {
    const charges = receipt.charges.filter(({ limiter, key }) =>
      this.#options.isFirst(`${receipt.id} ${limiter} ${key}`),
    )
    if (this.#isClosed || charges.length === 0) return true
    const isCorrected = this.#ledger.correct({ ...receipt, charges }, actual, {
      at: Date.now(),
      now: monotonicNow(),
    })
    this.#lookLater()
    return isCorrected
  }

  forget(limiter: string, key: string): void {
    this.#ledger.forget(limiter, key)
    for (const { taken } of [...this.#calls, ...this.#underWay]) taken.forget(limiter, key)
  }

  /** What is still owed is dropped, and told. */
  close(): void {
    if (this.#isClosed) return
    this.#isClosed = true
    this.#timer?.stop()
    const left = [...this.#calls.splice(0), ...this.#underWay].map(({ taken }) => taken)
    for (const { admissions } of [...left, this.#ledger.take(MAX_SUBJECTS)]) this.#dropped += admissions
    this.#tell()
  }

  get #isDone(): boolean {
    return this.#ledger.size === 0 && this.#calls.length === 0 && this.#decisions + this.#dropped === 0
  }

  #lookLater(): void {
    if (this.#isClosed || this.#timer !== undefined || this.#isDone) return
    this.#timer = after(LOOK_EVERY_MS * (1 + Math.random()), () => {
      void this.#look().finally(() => {
        this.#timer = undefined
        this.#lookLater()
      })
    })
  }

  async #look(): Promise<void> {
    let isWell = true
    const worker = async (): Promise<void> => {
      while (isWell && !this.#isClosed && this.#store.available?.() !== false) {
        const call = this.#nextCall()
        if (call === undefined) return
        isWell = await this.#make(call)
      }
    }
    await Promise.all(Array.from({ length: CALLS_AT_ONCE }, worker))
    if (this.#isClosed || this.#ledger.size > 0 || this.#calls.length > 0) return
    if (monotonicNow() - this.#toldAt >= TELL_EVERY_MS) this.#tell()
  }

  #nextCall(): Call | undefined {
    if (this.#calls.length === 0 && this.#ledger.size > 0) {
      const taken = this.#ledger.take(MAX_IN_CALL)
      const charges = taken.debtsAt(0).map((debt) => ({ ...debt, costs: 0 }))
      const inCalls = this.#store.together?.(charges) === false ? taken.split() : [taken]
      this.#calls.push(...inCalls.map((one) => ({ id: this.#newId(), taken: one, sentAt: undefined })))
    }
    return this.#calls.shift()
  }

  /** False: the store fails. What it may have charged, or not, is asked for again under the same id. */
  async #make(call: Call): Promise<boolean> {
    const { id, taken } = call
    const now = monotonicNow()
    this.#underWay.add(call)
    let skipped: number | undefined
    try {
      skipped = await this.#store.repay?.(taken.debtsAt(now), id)
    } catch (error) {
      // It is told of where the store is watched.
      if (error !== DOWN) call.sentAt ??= now
    }
    this.#underWay.delete(call)
    // Then it was counted as dropped.
    if (this.#isClosed) return false
    if (skipped !== undefined) {
      // Of several keys nobody knows whose decisions they were.
      this.#decisions += taken.admissions - skipped
      this.#dropped += skipped
    } else if (now - (call.sentAt ?? now) > TRY_FOR_MS) this.#dropped += taken.admissions
    else this.#calls.push(call)
    return skipped !== undefined
  }

  #newId(): string {
    this.#process ||= Math.random().toString(36).slice(2)
    return `${this.#process}-${++this.#made}`
  }

  #tell(): void {
    const { limiter, logger, onEvent } = this.#options
    const [decisions, dropped] = [this.#decisions, this.#dropped]
    if (decisions + dropped === 0) return
    this.#toldAt = monotonicNow()
    this.#decisions = 0
    this.#dropped = 0
    const rest = dropped > 0 ? `; ${dropped} more are not and will not be` : ''
    log(
      logger,
      'warn',
      `[rl] limiter "${limiter}": ${decisions} decisions made without the store are now charged to it${rest}`,
    )
    new Teller(onEvent).tell({ type: 'repaid', limiter, decisions, dropped })
  }
}
