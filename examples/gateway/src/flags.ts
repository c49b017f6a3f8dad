import { parseArgs } from 'node:util'
import { fixedWindow, type Policy } from '@rl/core'
import { byIp } from '@rl/express'
import { toPolicy } from './algorithms.js'

/** What the command line asks for. */
export interface Flags {
  /** The host to listen on; undefined for every address of this machine. */
  readonly host: string | undefined
  readonly port: number
  readonly limit: Policy
  /** Whether the limit was asked for, and not only the default one. */
  readonly isLimitGiven: boolean
  /** What decides in this process while Redis is gone. */
  readonly standby: Policy
  /** Where to count; undefined for this process alone. */
  readonly redis: string | undefined
  /** The window as it was given. */
  readonly window: string
  /** The file of plans and tenants. */
  readonly tenants: string | undefined
  /** The proxies whose X-Forwarded-For is believed; undefined when nothing was said. */
  readonly trust: readonly string[] | undefined
  readonly upstream: { readonly url: string; readonly timeoutMs: number } | undefined
}

export const USAGE = `usage: npm start -- [--addr :9090] [--rate 5] [--burst 5] [--window 1s]
                [--algorithm sliding-window-counter] [--redis-addr 127.0.0.1:6379]
                [--tenants tenants.json] [--trusted-proxies 10.0.0.0/8,loopback]
                [--upstream http://127.0.0.1:8080] [--upstream-timeout 30s]

  --addr    where to listen: a port, :port or host:port (default :9090)
  --rate    requests that each client address has in a window (default 5)
  --burst   the limit of the window, if it is to be another number (default: the rate); of a bucket the capacity
  --window  how long a window is: 500ms, 10s, 1m, 2h, 1d (default 1s)
  --algorithm   sliding-window-counter (default), sliding-window-log, token-bucket or fixed-window
  --redis-addr  host:port of a Redis in which several gateways count together (default: each for itself)
  --tenants     a file of plans and tenants, by X-API-Key; then the four above, if one is given, are for the others
  --trusted-proxies   addresses, CIDR ranges, loopback or private, with commas between: the proxies whose X-Forwarded-For is believed
  --upstream          where requests go that are not for the gateway itself
  --upstream-timeout  how long the upstream may be silent (default 30s)
`

/** @throws Error whose message names the flag, what was given and what it takes. */
export function readFlags(args: readonly string[]): Flags {
  const { values } = parseArgs({
    args: [...args],
    options: {
      addr: { type: 'string', default: ':9090' },
      rate: { type: 'string' },
      burst: { type: 'string' },
      window: { type: 'string' },
      algorithm: { type: 'string' },
      'redis-addr': { type: 'string' },
      tenants: { type: 'string' },
      'trusted-proxies': { type: 'string' },
      upstream: { type: 'string' },
      'upstream-timeout': { type: 'string', default: '30s' },
    },
  })
  const { window = '1s', algorithm = 'sliding-window-counter' } = values
  const rate = toCount('--rate', values.rate ?? '5')
  const burst = values.burst === undefined ? rate : toCount('--burst', values.burst)
  const named = ['rate', 'burst'] as const
  const given = named.filter((name) => values[name] !== undefined).map((name) => `--${name} ${values[name]}`)
  const sizes = { rate, burst, window, given: given.join(', ') }
  const timeoutMs = toMs('--upstream-timeout', values['upstream-timeout'])
  return {
    ...toAddress(values.addr),
    limit: toPolicy(algorithm, sizes),
    isLimitGiven: [values.rate, values.burst, values.window, values.algorithm].some(
      (value) => value !== undefined,
    ),
    standby: toPolicy('token-bucket', sizes),
    redis: optional(values['redis-addr'], toRedisUrl),
    window,
    tenants: optional(values.tenants, toFile),
    trust: optional(values['trusted-proxies'], toTrust),
    upstream: optional(values.upstream, (text) => ({ url: toUrl(text), timeoutMs })),
  }
}

function optional<T>(value: string | undefined, read: (text: string) => T): T | undefined {
  return value === undefined ? undefined : read(value)
}

function toCount(flag: string, text: string): number {
  if (/^[1-9]\d{0,14}$/.test(text)) return Number(text)
  throw new Error(`${flag} takes a whole number from 1 to 999999999999999; got "${text}"`)
}

function toAddress(
  text: string,
  [flag, example] = ['--addr', '127.0.0.1:9090'],
): Pick<Flags, 'host' | 'port'> {
  const match = /^(?:(\[[\da-f:.]+\]|[^:[\]\s]*):)?(\d{1,5})$/i.exec(text)
  const port = Number(match?.[2])
  if (match === null || port > 65_535) {
    throw new Error(`${flag} takes a port, :port or host:port, such as ${example}; got "${text}"`)
  }
  const host = match[1]?.replace(/^\[|\]$/g, '')
  return { host: host === '' ? undefined : host, port }
}

function toRedisUrl(text: string): string {
  const { host = '127.0.0.1', port } = toAddress(text.replace(/^redis:\/\//, ''), [
    '--redis-addr',
    '127.0.0.1:6379',
  ])
  return `redis://${host.includes(':') ? `[${host}]` : host}:${port}`
}

function toFile(text: string): string {
  if (text !== '') return text
  throw new Error('--tenants takes the path of a JSON file')
}

function toTrust(text: string): readonly string[] {
  const trust = text.split(',').map((entry) => entry.trim())
  try {
    byIp({ trust })
    return trust
  } catch (error) {
    const takes = 'takes addresses, CIDR ranges, loopback or private, comma-separated'
    throw new Error(`--trusted-proxies ${takes}; got "${text}": ${(error as Error).message}`)
  }
}

function toUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined
  const isPlain = url?.search === '' && url.hash === '' && url.username === '' && url.password === ''
  if (url !== undefined && isPlain && /^https?:$/.test(url.protocol)) return url.href
  throw new Error(`--upstream takes an http:// or https:// URL without a login or query; got "${text}"`)
}

function toMs(flag: string, text: string): number {
  try {
    return fixedWindow({ limit: 1, window: text }).windowMs
  } catch {
    throw new Error(`${flag} takes a time such as 30s; got "${text}"`)
  }
}
