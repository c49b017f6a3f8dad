import { fixedWindow, type Policy, slidingLog, slidingWindow, tokenBucket } from '@rl/core'

interface Sizes {
  readonly rate: number
  readonly burst: number
  readonly window: string
  /** The flags of numbers that were given, as text. */
  readonly given: string
}

const ALGORITHMS: Readonly<Record<string, (sizes: Sizes) => Policy>> = {
  'sliding-window-counter': ({ burst, window }) => slidingWindow({ limit: burst, window }),
  'sliding-window-log': ({ burst, window }) => slidingLog({ limit: burst, window }),
  'fixed-window': ({ burst, window }) => fixedWindow({ limit: burst, window }),
  'token-bucket': ({ rate, burst, window }) => tokenBucket({ capacity: burst, refill: rate, per: window }),
}

/** @throws Error whose message names the flag, what was given and what it takes. */
export function toPolicy(algorithm: string, sizes: Sizes): Policy {
  const build = Object.hasOwn(ALGORITHMS, algorithm) ? ALGORITHMS[algorithm] : undefined
  if (build === undefined) {
    throw new Error(`--algorithm takes ${Object.keys(ALGORITHMS).join(', ')}; got "${algorithm}"`)
  }
  try {
    return build(sizes)
  } catch (error) {
    const { window, given } = sizes
    const numbers = given === '' ? '' : ` with ${given}`
    throw new Error(`--window "${window}"${numbers}: ${(error as Error).message}`)
  }
}
