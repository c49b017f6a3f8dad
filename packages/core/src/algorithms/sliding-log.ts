import type { SlidingLog } from '../model/policy.js'
import { LogEntries } from './log-entries.js'
import { NEVER, type Row, type Step } from './step.js'

/**
 * Sliding log: `a` is the newest time, `b` what the live entries weigh, `c` the index of the oldest live one.
 * An entry leaves when its age reaches the window; one from the future counts as of now. Debt leaves with its entry.
 */
export const slidingLogStep: Step<SlidingLog> = {
  advance({ windowMs }, row, now) {
    const log = logOf(row)
    row.c = log.firstAfter(now - windowMs)
    row.b = log.weightFrom(row.c)
    row.a = Math.min(log.newest, now)
    return log.newest > now
  },

  wait({ limit, windowMs }, row, now, cost) {
    if (cost > limit) return NEVER
    const over = row.b + cost - limit
    if (over <= 0) return 0
    return Math.min(logOf(row).timeOf(row.c, over), now) + windowMs - now
  },

  take(_policy, row, now, cost) {
    const log = logOf(row)
    log.keep(row.c, now)
    const weight = Math.min(cost, MAX_WEIGHT - row.b)
    if (weight > 0) {
      log.push(now, weight)
      row.a = now
    }
    // Only now: a push, too, may drop what has left, and move the rest.
    row.c = log.head
    row.b = log.weightFrom(row.c)
  },

  giveBack(_policy, row, at, amount) {
    const log = logOf(row)
    log.keep(row.c, row.a)
    log.lighten(at, amount)
    row.c = log.head
    row.b = log.weightFrom(row.c)
    row.a = log.newest
  },

  remaining({ limit }, { b }) {
    return Math.max(0, limit - b)
  },

  reset({ windowMs }, { a, b }, now) {
    return b > 0 ? a + windowMs - now : 0
  },
}

/** What the list of the Lua twin can sum up exactly. */
const MAX_WEIGHT = 2 ** 52 - 1

function logOf(row: Row): LogEntries {
  row.log ??= new LogEntries()
  return row.log
}
