import { parseArgs } from 'node:util'
import { type Address, toAddress, urlOf } from './address.js'
import { toWhole } from './whole.js'

/** What the command line asks for. */
export interface Flags {
  readonly address: Address
  /** URL of the Redis that gateways share; undefined: nothing is limited. */
  readonly redis: string | undefined
  /** A file with profiles. */
  readonly config: string | undefined
  /** Model servers, each of which has all models. */
  readonly upstreams: readonly string[]
  readonly models: readonly string[]
  /** Of an answer to a request that names no `max_tokens`. */
  readonly defaultMaxTokens: number
  readonly maxBodyBytes: number
  /** Until a model server begins a stream, until its next part, or until its whole answer. */
  readonly upstreamTimeoutMs: number
  /** How long a decision waits for Redis. */
  readonly deadlineMs: number
  /** Print a line of JSON for each chat request. */
  readonly log: boolean
}

export const USAGE = `usage: node dist/main.js [--addr :8100] [--redis-addr 127.0.0.1:6379] [--config config.json]
                         [--upstream http://127.0.0.1:8101,http://127.0.0.1:8102] [--models small,large]

  --addr                 where to listen: a port, :port or host:port (default :8100)
  --redis-addr           host:port of the Redis with the users and the counters (default: nothing is limited)
  --config               a file with profiles: requests per second of a model
  --upstream             URLs of model servers, with commas between (default http://127.0.0.1:8101,http://127.0.0.1:8102)
  --models               what the model servers have (default small,large)
  --default-max-tokens   reserved for an answer where a request has no max_tokens (default 256)
  --max-body-bytes       of a request (default 1048576)
  --upstream-timeout-ms  how long a model server may take (default 60000)
  --deadline-ms          how long a decision waits for Redis (default 50)
  --log                  print a line of JSON for each chat request
`

/** @throws Error whose message names the flag, what was given and what it takes. */
export function readFlags(args: readonly string[]): Flags {
  const { values } = parseArgs({
    args: [...args],
    options: {
      addr: { type: 'string', default: ':8100' },
      'redis-addr': { type: 'string' },
      config: { type: 'string' },
      upstream: { type: 'string', default: 'http://127.0.0.1:8101,http://127.0.0.1:8102' },
      models: { type: 'string', default: 'small,large' },
      'default-max-tokens': { type: 'string', default: '256' },
      'max-body-bytes': { type: 'string', default: '1048576' },
      'upstream-timeout-ms': { type: 'string', default: '60000' },
      'deadline-ms': { type: 'string', default: '50' },
      log: { type: 'boolean', default: false },
    },
  })
  const whole = (name: keyof typeof values, range: readonly [number, number]) =>
    toWhole(`--${name}`, String(values[name]), range)
  return {
    address: toAddress('--addr', values.addr),
    redis: values['redis-addr'] === undefined ? undefined : toRedisUrl(values['redis-addr']),
    config: values.config,
    upstreams: values.upstream.split(',').map(toUpstream),
    models: toModels(values.models),
    defaultMaxTokens: whole('default-max-tokens', [1, 1_000_000]),
    maxBodyBytes: whole('max-body-bytes', [1, 16_777_216]),
    upstreamTimeoutMs: whole('upstream-timeout-ms', [1, 3_600_000]),
    deadlineMs: whole('deadline-ms', [1, 60_000]),
    log: values.log,
  }
}

/** @throws Error for what is no address. */
export function toRedisUrl(text: string): string {
  return urlOf('redis', toAddress('--redis-addr', text.replace(/^redis:\/\//, ''), '127.0.0.1:6379'))
}

/** @throws Error for a name that is none. */
export function toModels(text: string): readonly string[] {
  const names = text.split(',')
  const wrong = names.find((name) => !/^[\w.:/-]{1,64}$/.test(name))
  if (wrong === undefined) return names
  throw new Error(
    `--models takes names of letters, digits and . : / _ -, with commas between; got "${wrong}"`,
  )
}

function toUpstream(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url !== undefined && /^https?:$/.test(url.protocol) && url.pathname === '/' && url.search === '')
    return url.origin
  throw new Error(`--upstream takes URLs such as http://127.0.0.1:8101, with commas between; got "${text}"`)
}
