import { parseArgs } from 'node:util'
import { checkDistinct, type PortFlags, toPort } from '@rl-examples/cluster'

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
  const flags = {
    ports: values.ports.split(',').map((text) => toPort('--ports', text)),
    redisPort: toPort('--redis-port', values['redis-port']),
    tenants: values.tenants,
    others: end < 0 ? [] : args.slice(end + 1),
  }
  checkDistinct(portsOf(flags))
  return flags
}

export function portsOf({ ports, redisPort }: ClusterFlags): PortFlags {
  return { '--redis-port': [redisPort], '--ports': ports }
}
