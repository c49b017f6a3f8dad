import type { TokenBucket } from '../model/policy.js'
import { FRESH, NEVER, type Step } from './step.js'

/**
 * Token bucket: `a` is the time of the level, `b` the level, `c` since when it has been full. The level is in units of
 * 1/windowMs token: a millisecond brings `refill` of them, a token is `windowMs` of them, nothing is ever rounded.
 * Debt is a level below 0, paid in full by later refill.
 */
export const tokenBucketStep: Step<TokenBucket> = {
  advance({ limit, refill, windowMs }, row, now) {
    const full = limit * windowMs
    if (row.a === FRESH) {
      row.a = now
      row.b = full
      row.c = now
    }
    const wentBack = row.a > now
    // Above 2^53 the product is no longer exact, but then it is above `missing` as well.
    const gain = wentBack ? 0 : (now - row.a) * refill
    const missing = full - row.b
    if (gain < missing) {
      row.b += gain
    } else if (missing !== 0) {
      row.b = full
      // Below 0 when the capacity was lowered.
      row.c = missing > 0 ? row.a + Math.ceil(missing / refill) : now
    }
    row.a = now
    return wentBack
  },

  wait({ limit, refill, windowMs }, { b }, _now, cost) {
    if (cost > limit) return NEVER
    return Math.ceil(Math.max(0, cost * windowMs - b) / refill)
  },

  take({ limit, windowMs }, row, _now, cost) {
    row.b = Math.max(row.b - cost * windowMs, limit * windowMs - Number.MAX_SAFE_INTEGER)
  },

  giveBack({ limit, windowMs }, row, at, amount) {
    // A bucket that has been full since the charge lost what overflowed: giving back would be a second burst.
    if (at >= row.c) row.b = Math.min(limit * windowMs, row.b + amount * windowMs)
  },

  remaining({ windowMs }, { b }) {
    return Math.max(0, Math.floor(b / windowMs))
  },

  reset({ limit, refill, windowMs }, { b }) {
    return Math.ceil(Math.max(0, limit * windowMs - b) / refill)
  },
}
