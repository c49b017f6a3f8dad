import { createServer } from 'node:net'
import { parseArgs } from 'node:util'

export interface ClusterFlags {
  /** Where the gateways listen. */
  readonly ports: readonly number[]
  readonly redisPort: number
  /** The file of tenants that all of them read. */
  readonly tenants: string
  /** Handed to the gateways, which check them. */
  readonly others: readonly string[]
}

export const USAGE = `usage: npm run cluster -- [--ports 9090,9091] [--redis-port 6391] [--tenants tenants.json] [-- flags of the gateways]

  --ports       where the gateways listen, one for each port (default 9090,9091)
  --redis-port  where their Redis listens (default 6391; not 6379, which may be a Redis that somebody uses)
  --tenants     their file of plans and tenants (default tenants.json of this folder)
`

/** @throws Error whose message names the flag, what was given and what it takes. */
export function readClusterFlags(args: readonly string[]): ClusterFlags {
  const end = args.indexOf('--')
  const { values } = parseArgs({
    args: end < 0 ? [...args] : args.slice(0, end),
    options: {
      ports: { type: 'string', default: '9090,9091' },
      'redis-port': { type: 'string', default: '6391' },
      tenants: { type: 'string', default: 'tenants.json' },
    },
  })
  const ports = values.ports.split(',').map((text) => toPort('--ports', text))
  const redisPort = toPort('--redis-port', values['redis-port'])
  if (new Set([...ports, redisPort]).size <= ports.length) throw new Error('two of the ports are the same')
  return { ports, redisPort, tenants: values.tenants, others: end < 0 ? [] : args.slice(end + 1) }
}

/** @throws Error that names the port that another program has. */
export async function checkFree({ ports, redisPort }: ClusterFlags): Promise<void> {
  for (const port of [redisPort, ...ports]) {
    if (await isFree(port)) continue
    const flag = port === redisPort ? '--redis-port' : '--ports'
    throw new Error(`port ${port} is taken: end what listens there, or choose another by ${flag}`)
  }
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
