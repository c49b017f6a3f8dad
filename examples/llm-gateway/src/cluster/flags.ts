import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { checkDistinct, type PortFlags, toPort } from '@rl-examples/cluster'

/** What the command line asks for. */
export interface ClusterFlags {
  readonly gateways: readonly number[]
  readonly models: readonly number[]
  readonly redis: number
  readonly config: string
  /** Handed to the gateways and the model servers, which check them. */
  readonly deadlineMs: string
  readonly tokenMs: string
}

export const USAGE = `usage: npm run cluster -- [--ports 8100,8110] [--model-ports 8101,8102] [--redis-port 6392]
                           [--config config.json] [--token-ms 20] [--deadline-ms 1000]

  --ports        where the gateways listen, one for each port
  --model-ports  where the model servers listen
  --redis-port   where their Redis listens (not 6379, which may be a Redis that somebody uses)
  --config       profiles of the gateways
  --token-ms     milliseconds between two tokens of a model server
  --deadline-ms  how long a decision waits for Redis, which shares few cores with all the rest here
`

const CONFIG = fileURLToPath(new URL('../../config.json', import.meta.url))

/** @throws Error whose message names the flag, what was given and what it takes. */
export function readClusterFlags(args: readonly string[]): ClusterFlags {
  const { values } = parseArgs({
    args: [...args],
    options: {
      ports: { type: 'string', default: '8100,8110' },
      'model-ports': { type: 'string', default: '8101,8102' },
      'redis-port': { type: 'string', default: '6392' },
      config: { type: 'string', default: CONFIG },
      'token-ms': { type: 'string', default: '20' },
      'deadline-ms': { type: 'string', default: '1000' },
    },
  })
  const flags = {
    gateways: values.ports.split(',').map((text) => toPort('--ports', text)),
    models: values['model-ports'].split(',').map((text) => toPort('--model-ports', text)),
    redis: toPort('--redis-port', values['redis-port']),
    config: values.config,
    deadlineMs: values['deadline-ms'],
    tokenMs: values['token-ms'],
  }
  checkDistinct(portsOf(flags))
  return flags
}

export function portsOf({ gateways, models, redis }: ClusterFlags): PortFlags {
  return { '--redis-port': [redis], '--model-ports': models, '--ports': gateways }
}
