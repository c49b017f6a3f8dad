import type { FixedWindow } from '../model/policy.js'
import { NEVER, type Row, type Step } from './step.js'
import { windowStart } from './window-start.js'

/** Fixed window: `a` is the start of the window, `b` what was charged in it. Debt is forgiven at its end. */
export const fixedWindowStep: Step<FixedWindow> = {
  advance(policy, row, now) {
    return policy.align === 'epoch' ? advanceEpoch(policy, row, now) : advanceFirstHit(policy, row, now)
  },

  wait({ limit, windowMs }, { a, b }, now, cost) {
    if (cost > limit) return NEVER
    return b + cost <= limit ? 0 : a + windowMs - now
  },

  take(_policy, row, _now, cost) {
    row.b = Math.min(row.b + cost, Number.MAX_SAFE_INTEGER)
  },

  giveBack({ align, windowMs }, row, at, amount) {
    const current = align === 'epoch' ? windowStart(at, windowMs) === row.a : at >= row.a
    if (current) row.b = Math.max(0, row.b - amount)
  },

  remaining({ limit }, { b }) {
    return Math.max(0, limit - b)
  },

  reset({ windowMs }, { a, b }, now) {
    return b > 0 ? a + windowMs - now : 0
  },
}

function advanceEpoch({ windowMs }: FixedWindow, row: Row, now: number): boolean {
  const start = windowStart(now, windowMs)
  const wentBack = row.a > start
  if (row.a < start) row.b = 0
  row.a = start
  return wentBack
}

function advanceFirstHit({ windowMs }: FixedWindow, row: Row, now: number): boolean {
  if (row.b === 0 || now >= row.a + windowMs) {
    row.a = now
    row.b = 0
    return false
  }
  const wentBack = row.a > now
  if (wentBack) row.a = now
  return wentBack
}
