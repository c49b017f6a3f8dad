import { faultsIn } from '../fault.js'

export const tokenBucketFaults = faultsIn('algorithms/token-bucket.ts', [
  [
    'row.b = full\n      row.c = now',
    'row.b = full\n      row.c = 0',
    'a new bucket takes back what it never gave',
  ],
  ['wentBack ? 0 : (now - row.a) * refill', '(now - row.a) * refill', 'a step back takes tokens away'],
  [
    '(now - row.a) * refill',
    'Math.floor((now - row.a) / windowMs) * refill * windowMs',
    'thirds of tokens are lost',
  ],
  [
    'const missing = full - row.b',
    'const missing = full',
    'only an empty bucket is refilled up to its capacity',
  ],
  ['gain < missing', 'gain <= missing', 'a bucket that fills at this moment is not known to be full'],
  ['missing !== 0', 'missing > 0', 'a lowered capacity takes nothing away'],
  ['row.a + Math.ceil(missing / refill)', 'row.a + Math.floor(missing / refill)', 'full 1 ms too early'],
  ['row.a + Math.ceil(missing / refill)', 'now', 'full later than it was'],
  [
    'missing > 0 ? row.a + Math.ceil(missing / refill) : now',
    'row.a + Math.ceil(missing / refill)',
    'full before now',
  ],
  ['    row.a = now\n    return', '    return', 'what has come comes again'],
  ['return wentBack', 'return false', 'the repair flag is lost'],
  ['cost > limit', 'cost >= limit', 'the whole capacity at once never passes'],
  [
    'Math.ceil(Math.max(0, cost * windowMs - b) / refill)',
    'Math.floor(Math.max(0, cost * windowMs - b) / refill)',
    'the wait is 1 ms too short',
  ],
  ['Math.max(0, cost * windowMs - b)', '(cost * windowMs - b)', 'a cost that passes has a wait below 0'],
  ['cost * windowMs - b', 'cost * windowMs', 'the part of a token that is there does not count'],
  [
    'Math.max(row.b - cost * windowMs, limit * windowMs - Number.MAX_SAFE_INTEGER)',
    'row.b - cost * windowMs',
    'a debt is counted beyond 2^53',
  ],
  [
    'Math.max(row.b - cost * windowMs, limit * windowMs - Number.MAX_SAFE_INTEGER)',
    'Math.max(row.b - cost * windowMs, 0)',
    'a debt is forgiven',
  ],
  ['at >= row.c', 'at > row.c', 'what was charged when it filled is never given back'],
  ['if (at >= row.c) ', '', 'what overflowed is given back'],
  [
    'Math.min(limit * windowMs, row.b + amount * windowMs)',
    'row.b + amount * windowMs',
    'giving back lifts the capacity',
  ],
  ['Math.floor(b / windowMs)', 'Math.ceil(b / windowMs)', 'a part of a token is told as a whole one'],
  [
    'Math.max(0, Math.floor(b / windowMs))',
    'Math.floor(b / windowMs)',
    'a debt makes the remainder negative',
  ],
  [
    'Math.ceil(Math.max(0, limit * windowMs - b) / refill)',
    'Math.floor(Math.max(0, limit * windowMs - b) / refill)',
    'the reset is 1 ms too early',
  ],
])
