import { type Limiter, PARTS } from './limiter-types.js'
import { memoryStore } from './memory/memory-store.js'
import type { Uncounted } from './model/decision.js'

const OFF: Uncounted = { counted: false, allowed: true, source: 'none', reason: 'disabled' }

/** Allows everything and counts nothing, for development and tests: no RateLimit fields are sent. */
export function noopLimiter(): Limiter {
  const decide = () => OFF
  const nothing = () => undefined
  const limiter = {
    name: 'noop',
    policies: [],
    store: memoryStore(),
    // Tells `consumeAll` to leave it out.
    [PARTS]: null,
    consume: decide,
    peek: decide,
    charge: decide,
    settle: nothing,
    refund: nothing,
    reset: nothing,
    close: nothing,
  }
  return limiter
}
