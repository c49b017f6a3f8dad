import { BlockList, isIPv4 } from 'node:net'
import { parseArgs } from 'node:util'

/** What the benchmark is told. */
export interface BenchFlags {
  /** Scheme, host and port. */
  readonly origin: string
  readonly concurrency: number
  readonly requests: number
  readonly algorithm: string
  readonly limit: string
  /** Undefined: the service's own. */
  readonly rateOrWindow: string | undefined
  /** Every request is a client of its own; else all are one. */
  readonly uniqueClients: boolean
}

export const USAGE = `usage: npm run bench -- [--url http://127.0.0.1:8000] [--concurrency 100] [--requests 20000] [--unique-clients]
                         [--algorithm token_bucket] [--limit 100] [--rate-or-window 10] [--allow-remote]

  --url             the service, or nginx before it (default http://127.0.0.1:8000)
  --concurrency     requests under way at any time, each on a connection of its own, 1 to 1000 (default 100)
  --requests        requests in all, 1 to 1000000 (default 20000)
  --unique-clients  every request is a client of its own; without it all are one client
  --algorithm       token_bucket, sliding_window, sliding_window_counter or fixed_window (default token_bucket)
  --limit           of every check (default 100)
  --rate-or-window  of every check: tokens a second, or the window in seconds (default: the service's)
  --allow-remote    lets the load go to another machine than this one: only where its owner agrees
`

/** @throws Error whose message names the flag, what was given and what it takes. */
export function readBenchFlags(args: readonly string[]): BenchFlags {
  const { values } = parseArgs({
    args: [...args],
    options: {
      url: { type: 'string', default: 'http://127.0.0.1:8000' },
      concurrency: { type: 'string', default: '100' },
      requests: { type: 'string', default: '20000' },
      algorithm: { type: 'string', default: 'token_bucket' },
      limit: { type: 'string', default: '100' },
      'rate-or-window': { type: 'string' },
      'unique-clients': { type: 'boolean', default: false },
      'allow-remote': { type: 'boolean', default: false },
    },
  })
  return {
    origin: toOrigin(values.url, values['allow-remote']),
    concurrency: toCount('--concurrency', values.concurrency, 1000),
    requests: toCount('--requests', values.requests, 1_000_000),
    algorithm: values.algorithm,
    limit: values.limit,
    rateOrWindow: values['rate-or-window'],
    uniqueClients: values['unique-clients'],
  }
}

function toOrigin(text: string, allowRemote: boolean): string {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url === undefined || url.protocol !== 'http:' || url.pathname !== '/' || url.search !== '') {
    throw new Error(`--url takes scheme, host and port, such as http://127.0.0.1:8000; got "${text}"`)
  }
  if (allowRemote || isLoopback(url.hostname)) return url.origin
  throw new Error(
    `--url ${text} is not this machine, and a benchmark is a flood to whoever did not ask for it. ` +
      'Take a loopback address, or add --allow-remote if its owner agrees',
  )
}

/** A name other than `localhost` may lead anywhere, so it counts as remote. */
function isLoopback(hostname: string): boolean {
  if (hostname === 'localhost' || hostname === '[::1]') return true
  const loopback = new BlockList()
  loopback.addSubnet('127.0.0.0', 8)
  return isIPv4(hostname) && loopback.check(hostname)
}

function toCount(flag: string, text: string, max: number): number {
  const count = /^\d{1,7}$/.test(text) ? Number(text) : 0
  if (count >= 1 && count <= max) return count
  throw new Error(`${flag} takes a whole number from 1 to ${max}; got "${text}"`)
}
