import { parseArgs } from 'node:util'
import { type Address, toAddress } from '../address.js'
import { toWhole } from '../whole.js'
import { FAULTS, type Fault } from './question.js'

/** What the command line asks for. */
export interface ModelServerFlags {
  readonly address: Address
  /** What tests call it. */
  readonly name: string
  /** Between two tokens. */
  readonly tokenMs: number
  /** Of every answer. */
  readonly fault: Fault
}

export const USAGE = `usage: node dist/model-server.js [--addr 127.0.0.1:8101] [--name a] [--token-ms 20] [--fault none]

  --addr      where to listen: a port, :port or host:port (default 127.0.0.1:8101)
  --name      what metadata.at calls it (default a)
  --token-ms  milliseconds between two tokens (default 20)
  --fault     how every answer goes wrong: ${FAULTS.join(', ')}
`

/** @throws Error whose message names the flag, what was given and what it takes. */
export function readModelServerFlags(args: readonly string[]): ModelServerFlags {
  const { values } = parseArgs({
    args: [...args],
    options: {
      addr: { type: 'string', default: '127.0.0.1:8101' },
      name: { type: 'string', default: 'a' },
      'token-ms': { type: 'string', default: '20' },
      fault: { type: 'string', default: 'none' },
    },
  })
  const fault = FAULTS.find((name) => name === values.fault)
  if (fault === undefined) throw new Error(`--fault takes ${FAULTS.join(', ')}; got "${values.fault}"`)
  const tokenMs = toWhole('--token-ms', values['token-ms'], [0, 60_000])
  return { address: toAddress('--addr', values.addr), name: values.name, tokenMs, fault }
}
