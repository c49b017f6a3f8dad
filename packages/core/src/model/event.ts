import type { RateLimitError } from './errors.js'

/** How a decision is made when the store can't make it. */
export type Emergency = 'local' | 'open' | 'closed'

/** What a store or a limiter tells `onEvent`. */
export type RateLimitEvent =
  /** One call to the store failed, or was not sent because the store is known to be down. */
  | {
      readonly type: 'store-failure'
      readonly limiter: string
      readonly error: RateLimitError
      readonly decided: Emergency
    }
  /** A charge could not be corrected: its store is down, or it has been repaid. It stays as it was charged. */
  | { readonly type: 'settle-dropped'; readonly limiter: string; readonly error: RateLimitError }
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
  | { readonly type: 'breaker'; readonly state: 'open' | 'closed' }

export type OnEvent = (event: RateLimitEvent) => void
