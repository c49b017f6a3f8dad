import { type Cluster, redis, runCluster } from '@rl-examples/cluster'
import { type ClusterFlags, portsOf, readClusterFlags, USAGE } from './cluster/flags.js'
import { nginx } from './cluster/nginx.js'
import { node } from './cluster/node.js'

await runCluster({
  name: 'check-service',
  usage: USAGE,
  readFlags: readClusterFlags,
  programs: ['redis-server', 'nginx'],
  ports: portsOf,
  start,
  welcome,
})

async function start(cluster: Cluster, { ports, deadlineMs }: ClusterFlags): Promise<void> {
  await cluster.add(redis(cluster.folder('redis'), ports.redis))
  const flags = ['--redis', `redis://127.0.0.1:${ports.redis}`, '--deadline-ms', deadlineMs]
  await Promise.all(ports.nodes.map((port) => cluster.add(node(port, flags))))
  await cluster.add(nginx({ dir: cluster.folder('nginx'), port: ports.nginx, nodePorts: ports.nodes }))
}

function welcome({ ports: { nginx, nodes } }: ClusterFlags): string {
  return `cluster: http://localhost:${nginx} is nginx before ${nodes.length} nodes that share one Redis. Try:

  curl -i 'http://localhost:${nginx}/check?client_id=ann&limit=5'
  curl -i http://localhost:${nginx}/health
  npm run bench

Ctrl-C ends all of it.`
}
