import { faultsIn } from '../fault.js'

export const slidingWindowFaults = faultsIn('algorithms/sliding-window.ts', [
  ['Math.max(row.b, Math.min(limit, row.b + row.c))', 'row.b', 'a step back forgets the window before'],
  ['Math.max(row.b, Math.min(limit, row.b + row.c))', 'row.b + row.c', 'a step back makes a debt'],
  ['Math.max(row.b, Math.min(limit, row.b + row.c))', 'limit', 'a step back uses all up, or forgives a debt'],
  ['    row.c = 0\n', '', 'a step back counts the window before twice'],
  ['row.a === start - windowMs', 'row.a <= start - windowMs', 'a window long past is still weighed'],
  ['row.a === start - windowMs', 'row.a === start', 'the window before is never weighed'],
  ['    row.b = 0\n  }', '  }', 'a new window keeps the count of the one before'],
  ['return wentBack', 'return false', 'the repair flag is lost'],
  ['cost > limit', 'cost >= limit', 'the whole limit at once never passes'],
  [
    'return spare >= 0 && row.c',
    'return spare > 0 && row.c',
    'the last one within the limit waits for the next window',
  ],
  [
    'const spare = policy.limit - row.b - cost',
    'const spare = policy.limit - row.b',
    'the cost is not looked at',
  ],
  ['limit - row.b - cost >= 0', 'limit - row.b - cost > 0', 'beside a window before, the last one waits'],
  ['spare >= 0 && row.c === 0', 'spare >= 0', 'the window before is not looked at'],
  [
    'Math.floor(((limit - b - cost) * windowMs) / c)',
    'Math.ceil(((limit - b - cost) * windowMs) / c)',
    'the wait is 1 ms too short',
  ],
  [
    'Math.floor(((limit - cost) * windowMs) / row.b)',
    'Math.ceil(((limit - cost) * windowMs) / row.b)',
    'the wait into the next window is 1 ms too short',
  ],
  ['row.a + 2 * windowMs - now - ', 'windowMs - ', 'the rest of the current window is left out of the wait'],
  ['Math.max(0, a + ', '(a + ', 'a cost that passes has a wait below 0'],
  ['Math.floor(MAX_SAFE / windowMs)', 'MAX_SAFE', 'a debt is counted beyond what is exact'],
  ['if (start === row.a)', 'if (start >= row.a)', 'a charge of a later window is given back in this one'],
  ['start === row.a - windowMs', 'start < row.a', 'a charge long past is given back'],
  ['Math.max(0, row.b - amount)', 'row.b - amount', 'giving back lifts the limit'],
  ['Math.max(0, row.c - amount)', 'row.c + amount', 'giving back to the window before charges it'],
  [
    'Math.ceil((c * (a + windowMs - now)) / windowMs)',
    'Math.floor((c * (a + windowMs - now)) / windowMs)',
    'the weight is rounded down: one too many remains',
  ],
  [
    'return Math.max(0, policy.limit - row.b - (row.c > 0 ? weightOf(policy, row, now) : 0))',
    'return policy.limit - row.b - (row.c > 0 ? weightOf(policy, row, now) : 0)',
    'a debt makes the remainder negative',
  ],
  ['if (b > 0) return left + windowMs', 'if (b > 0) return left', 'the reset forgets the window to come'],
  ['return c > 0 ? left : 0', 'return left', 'an unused window has a reset'],
])
