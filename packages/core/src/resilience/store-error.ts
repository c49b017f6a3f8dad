import { isRateLimitError, RateLimitError } from '../model/errors.js'

// Made once: in an outage an error a call, with its stack, would cost more than the decision.

/** Of a breaker that is open. */
export const DOWN: RateLimitError = new RateLimitError(
  'RL_STORE',
  'store: is down, so it was not asked; it is probed twice a second',
)

/** Of a limiter that knows that its store is down. */
export const NOT_ASKED: RateLimitError = new RateLimitError('RL_STORE', 'store: is down, so it was not asked')

/** Of a decision made without the store that was charged there since, or may have been. */
export const CHARGED_SINCE: RateLimitError = new RateLimitError(
  'RL_STORE',
  'store: what it was charged for a decision without it can no longer be corrected',
)

export const NO_DECISION: RateLimitError = new RateLimitError(
  'RL_STORE',
  'store: answered with something that is no decision',
)

/** True when nothing was sent. Of what was sent an answer may be lost that says "charged". */
export function isUnsent(error: RateLimitError): boolean {
  return error === NOT_ASKED || error === DOWN
}

/** What a store failed with, as an error of ours. */
export function storeError(error: unknown): RateLimitError {
  if (isRateLimitError(error)) return error
  return new RateLimitError('RL_STORE', `store: failed: ${String(error).slice(0, 200)}`, { cause: error })
}
