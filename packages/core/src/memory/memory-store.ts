import type { Charge, Costs, Receipt } from '../model/charge.js'
import type { Clock } from '../model/clock.js'
import { type Counted, decidedBy, decisionOf, type Source } from '../model/decision.js'
import { configError } from '../model/errors.js'
import { type Logger, toLogger } from '../model/logger.js'
import type { Mode, Store, Subject } from '../model/store.js'
import { checkOptions } from '../model/suggest.js'
import { Many } from './many.js'
import { Settled } from './settled.js'
import { decideSingle } from './single.js'
import { Table } from './table.js'

export interface MemoryStoreOptions {
  /** Keys kept for each limiter. An eighth of them is room for keys that are used up. @default 100_000 */
  readonly maxKeys?: number | undefined
  /** @default Date.now */
  readonly clock?: Clock | undefined
  /** Told once when a used-up key had to be forgotten. @default console */
  readonly logger?: Logger | undefined
}

/** A store in this process. It answers at once, without a promise. */
export interface MemoryStore extends Store {
  consume(charges: readonly Charge[], mode: Mode): Counted
  settle(receipt: Receipt, costs: Costs): void
  reset(subject: Subject): void
  close(): void
  /** Keys held now, over all limiters. */
  readonly size: number
  /** Keys held now for the limiter of that name. */
  sizeOf(limiter: string): number
  /** Used-up keys that had to be forgotten since the start: clients that got a fresh limit too early. */
  readonly forgotten: number
}

/** Counts in this process: exact, bounded in memory, gone with the process. @throws RateLimitError `RL_CONFIG` */
export function memoryStore(options: MemoryStoreOptions = {}): MemoryStore {
  return new InProcessStore(options, 'store')
}

/** The one that stands in for a store that fails: its decisions say so. */
export function localStore(logger: Logger): MemoryStore {
  return new InProcessStore({ logger }, 'local')
}

/** True for a store of this module, which can't fail. */
export function isInProcess(store: Store): boolean {
  return store instanceof InProcessStore
}

/** 2^24 keys: what a Map holds. */
const MAX_KEYS = 16_777_216

class InProcessStore implements MemoryStore {
  readonly #maxKeys: number
  readonly #clock: Clock
  readonly #logger: Logger
  readonly #source: Source
  readonly #tables = new Map<string, Table>()
  /** The one asked for last, mostly the next one too. */
  #table: Table | undefined
  readonly #many = new Many((limiter) => this.#tableOf(limiter))
  /** Made at the first decision: some runtimes have no random numbers while modules load. */
  #id = ''
  #receipts = 0
  readonly #settled = new Settled()

  constructor(options: MemoryStoreOptions, source: Source) {
    checkOptions('memoryStore', options, ['maxKeys', 'clock', 'logger'])
    const { maxKeys = 100_000, clock } = options
    if (!Number.isSafeInteger(maxKeys) || maxKeys < 2 || maxKeys > MAX_KEYS) {
      throw configError('maxKeys', maxKeys, `must be a whole number from 2 to ${MAX_KEYS}`)
    }
    if (clock !== undefined && typeof clock !== 'function') throw configError('clock', clock, 'is a function')
    this.#maxKeys = maxKeys
    // Date.now is looked up at each call, so that fake timers work.
    this.#clock = clock === undefined ? () => Date.now() : () => Math.max(0, Math.floor(clock()))
    this.#logger = toLogger(options.logger)
    this.#source = source
  }

  get size(): number {
    return this.#sum((table) => table.keys.size)
  }

  sizeOf(limiter: string): number {
    return this.#tables.get(limiter)?.keys.size ?? 0
  }

  get forgotten(): number {
    return this.#sum((table) => table.forgotten)
  }

  consume(charges: readonly Charge[], mode: Mode): Counted {
    const now = this.#clock()
    const first = charges[0] as Charge
    if (charges.length !== 1 || first.policies.length !== 1) return this.#decideMany(charges, mode, now)
    const result = decideSingle(this.#tableOf(first.limiter), first, mode, now)
    const isCharged = result.allowed && mode !== 'peek'
    return decidedBy(result, [result], this.#source, isCharged ? this.#receipt(charges, now) : null)
  }

  settle(receipt: Receipt, costs: Costs): void {
    if (receipt.store !== this.#id) return
    const now = this.#clock()
    for (const charge of receipt.charges) {
      if (!this.#settled.mark(`${receipt.id} ${charge.limiter} ${charge.key}`)) continue
      this.#tableOf(charge.limiter).settle(charge, costs, now, receipt.at)
    }
  }

  reset({ limiter, key }: Subject): void {
    this.#tables.get(limiter)?.keys.drop(key)
  }

  close(): void {
    this.#tables.clear()
    this.#table = undefined
  }

  #decideMany(charges: readonly Charge[], mode: Mode, now: number): Counted {
    const results = this.#many.decide(charges, mode, now)
    const isCharged = mode !== 'peek' && results.every(({ allowed }) => allowed)
    return decisionOf(results, this.#source, isCharged ? this.#receipt(charges, now) : null)
  }

  #tableOf(limiter: string): Table {
    const table = this.#table
    return table?.limiter === limiter ? table : this.#otherTable(limiter)
  }

  #otherTable(limiter: string): Table {
    this.#table = this.#tables.get(limiter) ?? this.#addTable(limiter)
    return this.#table
  }

  #addTable(limiter: string): Table {
    const table = new Table(limiter, this.#maxKeys, this.#clock, () =>
      this.#logger.warn(
        `[rl] limiter "${limiter}" has more than ${this.#maxKeys} clients and forgot one that was blocked. ` +
          'Raise maxKeys of memoryStore, or count in Redis.',
      ),
    )
    this.#tables.set(limiter, table)
    return table
  }

  #receipt(charges: readonly Charge[], at: number): Receipt {
    return { store: this.#id || this.#newId(), id: ++this.#receipts, at, charges }
  }

  #newId(): string {
    this.#id = `memory-${Math.random().toString(36).slice(2)}`
    return this.#id
  }

  #sum(of: (table: Table) => number): number {
    let sum = 0
    for (const table of this.#tables.values()) sum += of(table)
    return sum
  }
}
