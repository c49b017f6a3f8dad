import { fileURLToPath } from 'node:url'
import type { PartPlan } from '@rl-examples/cluster'
import type { ClusterFlags } from './flags.js'

/** A gateway as it is built. */
export function gateway(port: number, { redisPort, tenants, others }: ClusterFlags): PartPlan {
  const program = fileURLToPath(new URL('../main.js', import.meta.url))
  const place = ['--addr', `127.0.0.1:${port}`, '--redis-addr', `127.0.0.1:${redisPort}`]
  return {
    name: `gateway ${port}`,
    command: process.execPath,
    args: [program, ...place, '--tenants', tenants, ...others],
    isReady: async () => (await fetch(`http://127.0.0.1:${port}/health`)).ok,
    // What it tells of itself; not how it welcomes.
    passesOn: (line) => line.startsWith('['),
    // It gives its requests five.
    stopMs: 6000,
  }
}
