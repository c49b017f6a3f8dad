import { type Cluster, redis, runCluster } from '@rl-examples/cluster'
import { type ClusterFlags, portsOf, readClusterFlags, USAGE } from './cluster/flags.js'
import { gateway } from './cluster/gateway.js'

// Redis and gateways that count in it, on this machine; all of them end together.

await runCluster({
  name: 'gateway',
  usage: USAGE,
  readFlags: readClusterFlags,
  programs: ['redis-server'],
  ports: portsOf,
  start,
  welcome,
  // Gateways read their tenants again. The first part is Redis.
  onHangup(parts) {
    for (const part of parts.slice(1)) part.signal('SIGHUP')
  },
})

async function start(cluster: Cluster, flags: ClusterFlags): Promise<void> {
  await cluster.add(redis(cluster.folder('redis'), flags.redisPort))
  await Promise.all(flags.ports.map((port) => cluster.add(gateway(port, flags))))
}

function welcome({ ports, redisPort }: ClusterFlags): string {
  const [first = 0, ...others] = ports
  return `cluster: gateways on ${ports.map((port) => `http://localhost:${port}`).join(' and ')} count in one Redis on port ${redisPort}. Try:

  curl -i -H 'X-API-Key: key-abc123' http://localhost:${first}/api/ping
  curl -i -H 'X-API-Key: key-abc123' http://localhost:${others[0] ?? first}/api/ping
  npm run --silent loadtest -- --rps 300 --dur 5s --api-key key-abc123

Ctrl-C ends all of it.`
}
