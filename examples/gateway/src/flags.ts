import { parseArgs } from 'node:util'
import type { Policy } from '@rl/core'
import { fixedWindow, slidingLog, slidingWindow, tokenBucket } from '@rl/core'

/** What the command line asks for. */
export interface Flags {
  /** The host to listen on; undefined for every address of this machine. */
  readonly host: string | undefined
  readonly port: number
  readonly limit: Policy
  /** What decides in this process while Redis is gone. */
  readonly standby: Policy
  /** Where to count; undefined for this process alone. */
  readonly redis: string | undefined
  /** The window as it was given. */
  readonly window: string
}

export const USAGE = `usage: npm start -- [--addr :9090] [--rate 5] [--burst 5] [--window 1s]
                [--algorithm sliding-window-counter] [--redis-addr 127.0.0.1:6379]

  --addr    where to listen: a port, :port or host:port (default :9090)
  --rate    requests that each client address has in a window (default 5)
  --burst   the limit of the window, if it is to be another number (default: the rate); of a bucket the capacity
  --window  how long a window is: 500ms, 10s, 1m, 2h, 1d (default 1s)
  --algorithm   sliding-window-counter (default), sliding-window-log, token-bucket or fixed-window
  --redis-addr  host:port of a Redis in which several gateways count together (default: each for itself)
`

/** @throws Error whose message names the flag, what was given and what it takes. */
export function readFlags(args: readonly string[]): Flags {
  const { values } = parseArgs({
    args: [...args],
    options: {
      addr: { type: 'string', default: ':9090' },
      rate: { type: 'string', default: '5' },
      burst: { type: 'string' },
      window: { type: 'string', default: '1s' },
      algorithm: { type: 'string', default: 'sliding-window-counter' },
      'redis-addr': { type: 'string' },
    },
  })
  const rate = toCount('--rate', values.rate)
  const burst = values.burst === undefined ? rate : toCount('--burst', values.burst)
  const sizes = { rate, burst, window: values.window }
  return {
    ...toAddress(values.addr),
    limit: toPolicy(values.algorithm, sizes),
    standby: toPolicy('token-bucket', sizes),
    redis: values['redis-addr'] === undefined ? undefined : toRedisUrl(values['redis-addr']),
    window: values.window,
  }
}

function toCount(flag: string, text: string): number {
  if (/^[1-9]\d{0,14}$/.test(text)) return Number(text)
  throw new Error(`${flag} takes a whole number of at least 1; got "${text}"`)
}

function toAddress(text: string, flag = '--addr'): Pick<Flags, 'host' | 'port'> {
  const match = /^(?:(\[[\da-f:.]+\]|[^:[\]\s]*):)?(\d{1,5})$/i.exec(text)
  const port = Number(match?.[2])
  if (match === null || port > 65_535) {
    throw new Error(`${flag} takes a port, :port or host:port, such as 127.0.0.1:9090; got "${text}"`)
  }
  const host = match[1]?.replace(/^\[|\]$/g, '')
  return { host: host === '' ? undefined : host, port }
}

interface Sizes {
  readonly rate: number
  readonly burst: number
  readonly window: string
}

const ALGORITHMS: Readonly<Record<string, (sizes: Sizes) => Policy>> = {
  'sliding-window-counter': ({ burst, window }) => slidingWindow({ limit: burst, window }),
  'sliding-window-log': ({ burst, window }) => slidingLog({ limit: burst, window }),
  'fixed-window': ({ burst, window }) => fixedWindow({ limit: burst, window }),
  'token-bucket': ({ rate, burst, window }) => tokenBucket({ capacity: burst, refill: rate, per: window }),
}

function toPolicy(algorithm: string, sizes: Sizes): Policy {
  const build = Object.hasOwn(ALGORITHMS, algorithm) ? ALGORITHMS[algorithm] : undefined
  if (build === undefined) {
    throw new Error(`--algorithm takes ${Object.keys(ALGORITHMS).join(', ')}; got "${algorithm}"`)
  }
  try {
    return build(sizes)
  } catch (error) {
    throw new Error(`--window "${sizes.window}" with --burst ${sizes.burst}: ${(error as Error).message}`)
  }
}

function toRedisUrl(text: string): string {
  const { host = '127.0.0.1', port } = toAddress(text.replace(/^redis:\/\//, ''), '--redis-addr')
  return `redis://${host.includes(':') ? `[${host}]` : host}:${port}`
}
