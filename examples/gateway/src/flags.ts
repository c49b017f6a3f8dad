import { parseArgs } from 'node:util'
import { slidingWindow } from '@rl/express'

/** What the command line asks for. */
export interface Flags {
  /** The host to listen on; undefined for every address of this machine. */
  readonly host: string | undefined
  readonly port: number
  readonly limit: ReturnType<typeof slidingWindow>
  /** The window as it was given. */
  readonly window: string
}

export const USAGE = `usage: npm start -- [--addr :9090] [--rate 5] [--burst 5] [--window 1s]

  --addr    where to listen: a port, :port or host:port (default :9090)
  --rate    requests that each client address has in a window (default 5)
  --burst   the limit of the window, if it is to be another number (default: the rate)
  --window  how long a window is: 500ms, 10s, 1m, 2h, 1d (default 1s)
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
    },
  })
  const rate = toCount('--rate', values.rate)
  const burst = values.burst === undefined ? rate : toCount('--burst', values.burst)
  return { ...toAddress(values.addr), limit: toLimit(burst, values.window), window: values.window }
}

function toCount(flag: string, text: string): number {
  if (/^[1-9]\d{0,14}$/.test(text)) return Number(text)
  throw new Error(`${flag} takes a whole number of at least 1; got "${text}"`)
}

function toAddress(text: string): Pick<Flags, 'host' | 'port'> {
  const match = /^(?:(\[[\da-f:.]+\]|[^:[\]\s]*):)?(\d{1,5})$/i.exec(text)
  const port = Number(match?.[2])
  if (match === null || port > 65_535) {
    throw new Error(`--addr takes a port, :port or host:port, such as 127.0.0.1:9090; got "${text}"`)
  }
  const host = match[1]?.replace(/^\[|\]$/g, '')
  return { host: host === '' ? undefined : host, port }
}

function toLimit(burst: number, window: string): Flags['limit'] {
  try {
    return slidingWindow({ limit: burst, window })
  } catch (error) {
    throw new Error(`--window "${window}" with --burst ${burst}: ${(error as Error).message}`)
  }
}
