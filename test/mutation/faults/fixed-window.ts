import { faultsIn } from '../fault.js'

export const fixedWindowFaults = faultsIn('algorithms/fixed-window.ts', [
  ['b + cost <= limit', 'b + cost < limit', 'the last one within the limit is refused'],
  ['b + cost <= limit', 'b <= limit', 'the cost is not looked at'],
  ['cost > limit', 'cost >= limit', 'the whole limit at once never passes'],
  ['? 0 : a + windowMs - now', '? 0 : a + windowMs - now - 1', 'the wait ends 1 ms before the window'],
  ['b > 0 ? a + windowMs - now : 0', 'a + windowMs - now', 'an unused window has a reset'],
  ['Math.max(0, limit - b)', 'limit - b', 'a debt makes the remainder negative'],
  ['Math.max(0, row.b - amount)', 'row.b - amount', 'giving back lifts the limit'],
  [
    'windowStart(at, windowMs) === row.a',
    'at >= row.a',
    'a charge of a later window is given back in this one',
  ],
  ['at >= row.a\n', 'at > row.a\n', 'the charge that opened the window is never given back'],
  ['if (current)', 'if (!current)', 'only charges of other windows are given back'],
  ['row.a < start', 'row.a <= start', 'nothing is ever counted'],
  ['  row.a = start\n  return wentBack', '  row.a = start\n  return false', 'the repair flag is lost, epoch'],
  ['now >= row.a + windowMs', 'now > row.a + windowMs', 'the window is 1 ms too long'],
  ['row.b === 0 || ', '', 'a window that nothing is in goes on'],
  ['if (wentBack) row.a = now', 'row.a = now', 'every hit moves the window: it never ends'],
  ['if (wentBack) row.a = now', 'if (wentBack) row.b = 0', 'a clock that goes back frees the limit'],
  ['row.a = now\n  return wentBack', 'row.a = now\n  return false', 'the repair flag is lost, first hit'],
  ['Math.min(row.b + cost, Number.MAX_SAFE_INTEGER)', 'row.b + cost', 'a debt is counted beyond 2^53'],
])
