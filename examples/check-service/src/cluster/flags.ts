import { createServer } from 'node:net'
import { parseArgs } from 'node:util'

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
  if (new Set(listOf(ports)).size < listOf(ports).length) throw new Error('two of the ports are the same')
  return { ports, deadlineMs: values['deadline-ms'] }
}

/** @throws Error that names the port that another program has. */
export async function checkFree(ports: Ports): Promise<void> {
  for (const port of listOf(ports)) {
    if (await isFree(port)) continue
    throw new Error(
      `port ${port} is taken: end what listens there, or choose another with the flags\n\n${USAGE}`,
    )
  }
}

function listOf({ nginx, nodes, redis }: Ports): readonly number[] {
  return [nginx, ...nodes, redis]
}

function toPort(flag: string, text: string): number {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : 0
  if (port >= 1 && port <= 65_535 && port !== 6379) return port
  throw new Error(`${flag} takes ports from 1 to 65535, and not 6379; got "${text}"`)
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer()
    server.once('error', () => resolve(false))
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)))
  })
}
