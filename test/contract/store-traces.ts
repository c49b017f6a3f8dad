import { fixedWindow, type Policy, slidingLog, slidingWindow, tokenBucket } from '@rl/core'
import { describe, expect, it } from 'vitest'
import { type OpenBench, policiesOf } from './store-bench.js'

/** at, cost, then what is answered: allowed, remaining, reset, next, retry. */
type Line = readonly [number, number, boolean, number, number, number, number | null]

const three = { limit: 3, window: '1s' }

const TRACES: readonly (readonly [string, Policy, readonly Line[]])[] = [
  [
    'a fixed window ends with the clock’s second',
    fixedWindow(three),
    [
      [100, 1, true, 2, 900, 900, 0],
      [200, 2, true, 0, 800, 800, 0],
      [300, 1, false, 0, 700, 700, 700],
      [999, 1, false, 0, 1, 1, 1],
      [1000, 1, true, 2, 1000, 1000, 0],
      [1001, 4, false, 2, 999, 999, null],
      [1002, 2, true, 0, 998, 998, 0],
    ],
  ],
  [
    'a fixed window from the first hit ends a second after it',
    fixedWindow({ ...three, align: 'first-hit' }),
    [
      [100, 1, true, 2, 1000, 1000, 0],
      [200, 2, true, 0, 900, 900, 0],
      [1099, 1, false, 0, 1, 1, 1],
      [1100, 1, true, 2, 1000, 1000, 0],
      [1101, 4, false, 2, 999, 999, null],
    ],
  ],
  [
    'a sliding window weighs the second before by the part of it still in sight',
    slidingWindow(three),
    [
      [100, 1, true, 2, 1900, 1900, 0],
      [200, 2, true, 0, 1800, 1134, 0],
      [300, 1, false, 0, 1700, 1034, 1034],
      [1333, 1, false, 0, 667, 1, 1],
      [1334, 1, true, 0, 1666, 333, 0],
      [1666, 1, false, 0, 1334, 1, 1],
      [1667, 1, true, 0, 1333, 333, 0],
      [2000, 4, false, 1, 1000, 500, null],
    ],
  ],
  [
    'a sliding log lets go of each hit when its age is a second',
    slidingLog(three),
    [
      [100, 1, true, 2, 1000, 1000, 0],
      [200, 2, true, 0, 1000, 900, 0],
      [300, 1, false, 0, 900, 800, 800],
      [1099, 1, false, 0, 101, 1, 1],
      [1100, 1, true, 0, 1000, 100, 0],
      [1199, 2, false, 0, 901, 1, 1],
      [1200, 2, true, 0, 1000, 900, 0],
      [1201, 4, false, 0, 999, 899, null],
    ],
  ],
  [
    'a token bucket gets a token every third of a second, and loses no part of one',
    tokenBucket({ capacity: 3, per: '1s' }),
    [
      [100, 1, true, 2, 334, 334, 0],
      [200, 2, true, 0, 900, 234, 0],
      [300, 1, false, 0, 800, 134, 134],
      [433, 1, false, 0, 667, 1, 1],
      [434, 1, true, 0, 1000, 333, 0],
      [1434, 4, false, 3, 0, 0, null],
      [1434, 3, true, 0, 1000, 334, 0],
    ],
  ],
]

export function describeTraces(open: OpenBench): void {
  describe('one policy', () => {
    it.each(TRACES)('%s', async (_, policy, lines) => {
      const bench = await open()
      const limit = policiesOf(policy)
      for (const [at, cost, allowed, remaining, resetAfterMs, nextAfterMs, retryAfterMs] of lines) {
        const decision = await (await bench.at(at)).ask({ limit, cost })
        const numbers = {
          cost: allowed ? cost : 0,
          limit: 3,
          remaining,
          used: 3 - remaining,
          resetAfterMs,
          retryAfterMs,
        }
        expect(decision, `at ${at}`).toEqual({
          counted: true,
          allowed,
          source: 'store',
          reason: allowed ? 'ok' : retryAfterMs === null ? 'never' : 'limit',
          policy: '1s',
          ...numbers,
          policies: [
            {
              limiter: 'test',
              policy: '1s',
              kind: policy.kind,
              allowed,
              ...numbers,
              nextAfterMs,
              windowMs: 1000,
            },
          ],
          receipt: allowed
            ? expect.objectContaining({ charges: [expect.objectContaining({ key: 'a' })] })
            : null,
        })
      }
    })
  })
}
