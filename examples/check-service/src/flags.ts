import { parseArgs } from 'node:util'

/** What the command line asks for. */
export interface Flags {
  readonly host: string
  readonly port: number
  /** URL of Redis. */
  readonly redis: string
  readonly prefix: string
  readonly deadlineMs: number
  /** Every check passes, uncounted: for the benchmark. */
  readonly constant: boolean
}

export const USAGE = `usage: node dist/main.js [--addr :8001] [--redis redis://127.0.0.1:6379] [--prefix check] [--deadline-ms 50]

  --addr         where to listen: a port, :port or host:port (default :8001, on every address of this machine)
  --redis        where to count (default redis://127.0.0.1:6379)
  --prefix       begins every key in Redis (default check)
  --deadline-ms  how long a check waits for Redis before it is counted in this process (default 50)
  --constant     lets every check pass and counts nothing: to measure what the limiter costs, and for nothing else
`

/** @throws Error whose message names the flag, what was given and what it takes. */
export function readFlags(args: readonly string[]): Flags {
  const { values } = parseArgs({
    args: [...args],
    options: {
      addr: { type: 'string', default: ':8001' },
      redis: { type: 'string', default: 'redis://127.0.0.1:6379' },
      prefix: { type: 'string', default: 'check' },
      'deadline-ms': { type: 'string', default: '50' },
      constant: { type: 'boolean', default: false },
    },
  })
  const { redis, prefix, constant } = values
  if (!/^rediss?:\/\/./.test(redis) || !URL.canParse(redis)) {
    // Not shown: it may hold a password.
    throw new Error('--redis takes a URL such as redis://127.0.0.1:6379')
  }
  const deadlineMs = toDeadline(values['deadline-ms'])
  return { ...toAddress(values.addr), redis, prefix, deadlineMs, constant }
}

function toDeadline(text: string): number {
  if (/^[1-9]\d{0,4}$/.test(text)) return Number(text)
  throw new Error(`--deadline-ms takes whole milliseconds from 1 to 99999; got "${text}"`)
}

function toAddress(text: string): Pick<Flags, 'host' | 'port'> {
  const match = /^(?:(\[[\da-f:.]+\]|[^:[\]\s]*):)?(\d{1,5})$/i.exec(text)
  const port = Number(match?.[2])
  if (match === null || port > 65_535) {
    throw new Error(`--addr takes a port, :port or host:port, such as 127.0.0.1:8001; got "${text}"`)
  }
  return { host: match[1]?.replace(/^\[|\]$/g, '') || '::', port }
}
