import type { SlidingWindow } from '../model/policy.js'
import { NEVER, type Step } from './step.js'
import { windowStart } from './window-start.js'

/**
 * Sliding window counter: `a` is the start of the current window, `b` what was charged in it, `c` in the one before.
 * With e ms of the window gone it holds b + c·(W − e)/W to be used; both sides are multiplied by W, so all is whole.
 * Debt is paid by one window more.
 */
export const slidingWindowStep: Step<SlidingWindow> = {
  advance({ limit, windowMs }, row, now) {
    const start = windowStart(now, windowMs)
    const wentBack = row.a > start
    if (wentBack) {
      // Keeping c beside b would weigh it less than it was weighed already: a step back would free quota.
      row.b = Math.max(row.b, Math.min(limit, row.b + row.c))
      row.c = 0
    } else if (row.a < start) {
      row.c = row.a === start - windowMs ? row.b : 0
      row.b = 0
    }
    row.a = start
    return wentBack
  },

  wait({ limit, windowMs }, { a, b, c }, now, cost) {
    if (cost > limit) return NEVER
    const left = a + windowMs - now
    const spare = limit - b - cost
    if (spare >= 0) return Math.max(0, left - (c > 0 ? Math.floor((spare * windowMs) / c) : left))
    // The current window must become the previous one, and then weigh little enough.
    return left + windowMs - Math.floor(((limit - cost) * windowMs) / b)
  },

  take({ windowMs }, row, _now, cost) {
    const used = row.b + cost
    row.b = used * windowMs <= Number.MAX_SAFE_INTEGER ? used : Math.floor(Number.MAX_SAFE_INTEGER / windowMs)
  },

  giveBack({ windowMs }, row, at, amount) {
    const start = windowStart(at, windowMs)
    if (start === row.a) row.b = Math.max(0, row.b - amount)
    else if (start === row.a - windowMs) row.c = Math.max(0, row.c - amount)
  },

  remaining({ limit, windowMs }, { a, b, c }, now) {
    const left = a + windowMs - now
    const weight = c > 0 ? Math.ceil((c * left) / windowMs) : 0
    return Math.max(0, limit - b - weight)
  },

  reset({ windowMs }, { a, b, c }, now) {
    const left = a + windowMs - now
    if (b > 0) return left + windowMs
    return c > 0 ? left : 0
  },
}
