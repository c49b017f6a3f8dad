import { parseArgs } from 'node:util'
import { fixedWindow } from '@rl/core'

export interface LoadFlags {
  readonly url: URL
  /** Requests a second. */
  readonly rps: number
  readonly durationMs: number
  readonly apiKey: string | undefined
  readonly json: boolean
}

export const USAGE = `usage: npm run loadtest -- [--url http://127.0.0.1:9090/api/ping] [--rps 100] [--dur 10s] [--api-key KEY] [--json]

  --url      what is asked for, with GET (default http://127.0.0.1:9090/api/ping)
  --rps      requests a second, 1 to 100000 (default 100)
  --dur      for how long: 500ms, 10s, 1m (default 10s)
  --api-key  sent as X-API-Key
  --json     prints the result as JSON
`

/** @throws Error whose message names the flag, what was given and what it takes. */
export function readLoadFlags(args: readonly string[]): LoadFlags {
  const { values } = parseArgs({
    args: [...args],
    options: {
      url: { type: 'string', default: 'http://127.0.0.1:9090/api/ping' },
      rps: { type: 'string', default: '100' },
      dur: { type: 'string', default: '10s' },
      'api-key': { type: 'string' },
      json: { type: 'boolean', default: false },
    },
  })
  return {
    url: toUrl(values.url),
    rps: toRate(values.rps),
    durationMs: toMs(values.dur),
    apiKey: values['api-key'] === undefined ? undefined : toKey(values['api-key']),
    json: values.json,
  }
}

function toUrl(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url !== undefined && /^https?:$/.test(url.protocol)) return url
  throw new Error(`--url takes an http:// or https:// URL; got "${text}"`)
}

function toRate(text: string): number {
  const rate = /^\d{1,6}$/.test(text) ? Number(text) : 0
  if (rate >= 1 && rate <= 100_000) return rate
  throw new Error(`--rps takes a whole number from 1 to 100000; got "${text}"`)
}

function toMs(text: string): number {
  try {
    return fixedWindow({ limit: 1, window: text }).windowMs
  } catch {
    throw new Error(`--dur takes a time such as 10s; got "${text}"`)
  }
}

function toKey(text: string): string {
  if (/^[!-~]+$/.test(text)) return text
  throw new Error('--api-key takes visible ASCII characters')
}
