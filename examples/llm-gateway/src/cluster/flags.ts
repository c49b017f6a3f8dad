import { createServer } from 'node:net'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { toWhole } from '../whole.js'

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
  const port = (flag: string, text: string) => toWhole(flag, text, [1, 65_535])
  const redis = port('--redis-port', values['redis-port'])
  if (redis === 6379)
    throw new Error('--redis-port takes any port but 6379, which may be a Redis that somebody uses')
  return {
    gateways: values.ports.split(',').map((text) => port('--ports', text)),
    models: values['model-ports'].split(',').map((text) => port('--model-ports', text)),
    redis,
    config: values.config,
    deadlineMs: values['deadline-ms'],
    tokenMs: values['token-ms'],
  }
}

/** @throws Error that names the port that another program has, and the flag that chooses another. */
export async function checkFree({ gateways, models, redis }: ClusterFlags): Promise<void> {
  const places: readonly (readonly [string, number])[] = [
    ['--redis-port', redis],
    ...models.map((port) => ['--model-ports', port] as const),
    ...gateways.map((port) => ['--ports', port] as const),
  ]
  for (const [flag, port] of places) {
    if (await isFree(port)) continue
    throw new Error(`port ${port} is taken: end what listens there, or choose another by ${flag}`)
  }
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer()
    server.once('error', () => resolve(false))
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)))
  })
}
