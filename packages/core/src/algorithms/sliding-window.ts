import type { SlidingWindow } from '../model/policy.js'
import { NEVER, type Row, type Step } from './step.js'
import { windowStart } from './window-start.js'

/**
 * Sliding window counter: `a` is the start of the current window, `b` what was charged in it, `c` in the one before.
 * With e ms of the window gone it holds b + c·(W − e)/W to be used; both sides are multiplied by W, so all is whole.
 * Debt is paid by one window more. What is rare stands apart, in functions: V8 takes the rest into its callers.
 */
export const slidingWindowStep: Step<SlidingWindow> = {
  advance(policy, row, now) {
    const start = windowStart(now, policy.windowMs)
    return row.a === start ? false : enter(policy, row, start)
  },

  wait(policy, row, now, cost) {
    const spare = policy.limit - row.b - cost
    return spare >= 0 && row.c === 0 ? 0 : waitFor(policy, row, now, cost)
  },

  take({ windowMs }, row, _now, cost) {
    const used = row.b + cost
    row.b = used * windowMs <= MAX_SAFE ? used : Math.floor(MAX_SAFE / windowMs)
  },

  giveBack({ windowMs }, row, at, amount) {
    const start = windowStart(at, windowMs)
    if (start === row.a) row.b = Math.max(0, row.b - amount)
    else if (start === row.a - windowMs) row.c = Math.max(0, row.c - amount)
  },

  remaining(policy, row, now) {
    return Math.max(0, policy.limit - row.b - (row.c > 0 ? weightOf(policy, row, now) : 0))
  },

  reset({ windowMs }, { a, b, c }, now) {
    const left = a + windowMs - now
    if (b > 0) return left + windowMs
    return c > 0 ? left : 0
  },
}

const MAX_SAFE = Number.MAX_SAFE_INTEGER

/** Begins the window with that start. */
function enter({ limit, windowMs }: SlidingWindow, row: Row, start: number): boolean {
  const wentBack = row.a > start
  if (wentBack) {
    // Keeping c beside b would weigh it less than it was weighed already: a step back would free quota.
    row.b = Math.max(row.b, Math.min(limit, row.b + row.c))
    row.c = 0
  } else {
    row.c = row.a === start - windowMs ? row.b : 0
    row.b = 0
  }
  row.a = start
  return wentBack
}

/** What is still to be counted of the window before. */
function weightOf({ windowMs }: SlidingWindow, { a, c }: Row, now: number): number {
  return Math.ceil((c * (a + windowMs - now)) / windowMs)
}

function waitFor(policy: SlidingWindow, row: Row, now: number, cost: number): number {
  const { limit, windowMs } = policy
  if (cost > limit) return NEVER
  if (limit - row.b - cost >= 0) return waitBeside(policy, row, now, cost)
  // The current window must become the previous one, and then weigh little enough.
  return row.a + 2 * windowMs - now - Math.floor(((limit - cost) * windowMs) / row.b)
}

/** It passes once what is left of the window before weighs little enough. */
function waitBeside({ limit, windowMs }: SlidingWindow, { a, b, c }: Row, now: number, cost: number): number {
  return Math.max(0, a + windowMs - now - Math.floor(((limit - b - cost) * windowMs) / c))
}
