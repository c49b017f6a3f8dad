import type { PolicyResult, Reason, Source } from './decision.js'
import type { RateLimitError } from './errors.js'
import type { Mode, Store } from './store.js'

/** How a decision is made when the store can't make it. */
export type Emergency = 'local' | 'open' | 'closed'

/**
 * What kind of failure of a store it was: no answer within the `deadline`; no `connection`; a `reply` that was an error, of
 * a script or of the server's state; `down`: known to fail, so not asked; or an `other` one.
 */
export type StoreErrorKind = 'deadline' | 'connection' | 'reply' | 'down' | 'other'

/** What a store or a limiter tells `onEvent`, and the channel `rl:store`. */
export type RateLimitEvent =
  /** One call to the store failed, or was not sent because the store is known to be down. */
  | {
      readonly type: 'store-failure'
      readonly limiter: string
      readonly kind: StoreErrorKind
      /** Its cause is the client's error, which may hold the command with its key: nothing for a log. */
      readonly error: RateLimitError
      readonly decided: Emergency
    }
  /** A charge could not be corrected: its store is down, or it has been repaid. It stays as it was charged. */
  | {
      readonly type: 'settle-dropped'
      readonly limiter: string
      readonly kind: StoreErrorKind
      readonly error: RateLimitError
    }
  /** The store failed after it had worked. */
  | { readonly type: 'outage'; readonly error: RateLimitError }
  /** It works again: how long it did not, and how many decisions were made how meanwhile. */
  | {
      readonly type: 'recovered'
      readonly afterMs: number
      readonly decided: Readonly<Record<Emergency, number>>
    }
  /**
   * With `repay`: how many decisions that were made without the store have been charged to it, and how many have not been
   * and never will be. At most one in five seconds.
   */
  | {
      readonly type: 'repaid'
      readonly limiter: string
      readonly decisions: number
      readonly dropped: number
    }
  /** Inside a Redis store: whether calls are sent at all. */
  | { readonly type: 'breaker'; readonly state: BreakerState }

export type OnEvent = (event: RateLimitEvent) => void

/** Open: nothing is sent but a probe. */
export type BreakerState = 'open' | 'closed'

/**
 * What the channel `rl:decision` tells of a decision, of one limiter or of several together. Never the key: what listens
 * there makes metrics and logs.
 */
export interface DecisionEvent {
  /** The limiter that decided. */
  readonly limiter: string
  readonly mode: Mode
  readonly allowed: boolean
  readonly source: Source
  readonly reason: Reason
  /** The policy that decided; undefined when nothing was counted. */
  readonly policy: string | undefined
  /** Every policy that was asked; none when nothing was counted. */
  readonly policies: readonly PolicyResult[]
  /** How long it took. In memory that is less than a look at the clock: the first is measured, and one in 1024 after it. */
  readonly durationMs: number | undefined
  /** Where the limiter counts: to be looked at, not to be held. */
  readonly store: Store
}
