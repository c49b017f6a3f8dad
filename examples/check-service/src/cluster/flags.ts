import { parseArgs } from 'node:util'
import { checkDistinct, type PortFlags, toPort } from '@rl-examples/cluster'

/** Where each part listens, on the loopback address. */
export interface Ports {
  readonly nginx: number
  readonly nodes: readonly number[]
  readonly redis: number
}

/** What the command line asks for. */
export interface ClusterFlags {
  readonly ports: Ports
  /** Handed to the nodes, which check it. */
  readonly deadlineMs: string
}

export const USAGE = `usage: npm run cluster -- [--port 8000] [--node-ports 8001,8002,8003] [--redis-port 6390]
                           [--deadline-ms 1000]

  --port        where nginx listens (default 8000)
  --node-ports  where the nodes listen, one for each port (default 8001,8002,8003)
  --redis-port  where their Redis listens (default 6390; not 6379, which may be a Redis that somebody uses)
  --deadline-ms  how long a check waits for Redis (default 1000: under a full load Redis waits its turn for the few
                 cores that all parts share, and that shall not be taken for an outage)
`

/** @throws Error whose message names the flag, what was given and what it takes. */
export function readClusterFlags(args: readonly string[]): ClusterFlags {
  const { values } = parseArgs({
    args: [...args],
    options: {
      port: { type: 'string', default: '8000' },
      'node-ports': { type: 'string', default: '8001,8002,8003' },
      'redis-port': { type: 'string', default: '6390' },
      'deadline-ms': { type: 'string', default: '1000' },
    },
  })
  const ports = {
    nginx: toPort('--port', values.port),
    nodes: values['node-ports'].split(',').map((text) => toPort('--node-ports', text)),
    redis: toPort('--redis-port', values['redis-port']),
  }
  const flags = { ports, deadlineMs: values['deadline-ms'] }
  checkDistinct(portsOf(flags))
  return flags
}

export function portsOf({ ports: { nginx, nodes, redis } }: ClusterFlags): PortFlags {
  return { '--port': [nginx], '--node-ports': nodes, '--redis-port': [redis] }
}
