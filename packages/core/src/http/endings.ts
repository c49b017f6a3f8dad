import type { Logger } from '../model/logger.js'
import { isPromise } from '../model/maybe-promise.js'
import type { MaybePromise } from '../model/store.js'
import type { GuardOptions, Outcome } from './guard-options.js'

type Decided = Pick<Outcome, 'result'>

const UNDECIDED: Decided = { result: undefined }

/**
 * Tells `onDone` how requests end: once each, however often their limiter is mounted, and with the decision also where
 * the client went while a store was still thinking.
 */
export class Endings<Ctx> {
  readonly #onDone: NonNullable<GuardOptions<Ctx>['onDone']>
  readonly #log: (error: unknown) => void
  /** What was decided on a request; `null` when its end has been told. */
  readonly #decided = new WeakMap<object, MaybePromise<Decided> | null>()

  constructor(onDone: NonNullable<GuardOptions<Ctx>['onDone']>, limiter: string, logger: Logger) {
    this.#onDone = onDone
    // The response is gone: there is nobody left to answer with an error.
    this.#log = (error) => logger.error(`[rl] onDone of limiter "${limiter}" failed: ${String(error)}`)
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
    const tell = ({ result }: Decided) => this.#tell(ctx, { ...outcome, result })
    if (isPromise(decided)) decided.then(tell, () => tell(UNDECIDED))
    else tell(decided)
  }

  #tell(ctx: Ctx, outcome: Outcome): void {
    try {
      const told: unknown = this.#onDone(ctx, outcome)
      if (isPromise(told)) told.then(undefined, this.#log)
    } catch (error) {
      this.#log(error)
    }
  }
}
