import { fixedWindow, type Limit, slidingLog, slidingWindow, tokenBucket } from '@rl/core'

/** A limit for each algorithm, and three at once. */
export function casesOf(limit: number, window: string): Readonly<Record<string, Limit>> {
  return {
    'fixed window': fixedWindow({ limit, window }),
    'fixed window from the first hit': fixedWindow({ limit, window, align: 'first-hit' }),
    'sliding window': slidingWindow({ limit, window }),
    'sliding log': slidingLog({ limit, window }),
    'token bucket': tokenBucket({ capacity: limit, per: window }),
    'three policies': {
      loose: tokenBucket({ capacity: 2 * limit, per: window }),
      tight: slidingLog({ limit, window }),
      wide: slidingWindow({ limit: 3 * limit, window }),
    },
  }
}
