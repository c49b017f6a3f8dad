import type { Logger } from '../model/logger.js'
import { isPromise } from '../model/maybe-promise.js'
import type { MaybePromise } from '../model/store.js'
import type { Outcome } from './guard-options.js'

type Decided = Pick<Outcome, 'result'>

const UNDECIDED: Decided = { result: undefined }

/** One that is told, by name for the log. What it returns may be a promise that fails. */
export interface Listener<Ctx> {
  readonly name: string
  readonly tell: (ctx: Ctx, outcome: Outcome) => unknown
}

/**
 * Tells how requests end: once each, however often their limiter is mounted, and with the decision also where
 * the client went while a store was still thinking.
 */
export class Endings<Ctx> {
  readonly #listeners: readonly Listener<Ctx>[]
  readonly #log: (listener: string, error: unknown) => void
  /** What was decided on a request; `null` when its end has been told. */
  readonly #decided = new WeakMap<object, MaybePromise<Decided> | null>()

  constructor(listeners: readonly Listener<Ctx>[], limiter: string, logger: Logger) {
    this.#listeners = listeners
    // The response is gone: there is nobody left to answer with an error.
    this.#log = (listener, error) =>
      logger.error(`[rl] ${listener} of limiter "${limiter}" failed: ${String(error)}`)
  }

  watch<T extends Decided>(carrier: object, decide: () => MaybePromise<T>): MaybePromise<T> {
    if (this.#decided.has(carrier)) return decide()
    this.#decided.set(carrier, UNDECIDED)
    const decided = decide()
    this.#decided.set(carrier, decided)
    return decided
  }

  end(carrier: object, ctx: Ctx, outcome: Omit<Outcome, 'result'>): void {
    const decided = this.#decided.get(carrier) ?? null
    if (decided === null) return
    this.#decided.set(carrier, null)
    const tell = ({ result }: Decided) => {
      const { status, aborted } = outcome
      for (const listener of this.#listeners) this.#tell(listener, ctx, { status, aborted, result })
    }
    if (isPromise(decided)) decided.then(tell, () => tell(UNDECIDED))
    else tell(decided)
  }

  #tell({ name, tell }: Listener<Ctx>, ctx: Ctx, outcome: Outcome): void {
    const log = (error: unknown) => this.#log(name, error)
    try {
      const told = tell(ctx, outcome)
      if (isPromise(told)) told.then(undefined, log)
    } catch (error) {
      log(error)
    }
  }
}
