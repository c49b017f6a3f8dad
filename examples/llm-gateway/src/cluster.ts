import { type Cluster, redis as redisPart, runCluster } from '@rl-examples/cluster'
import { type ClusterFlags, portsOf, readClusterFlags, USAGE } from './cluster/flags.js'
import { gateway, modelServer } from './cluster/parts.js'
import { seedExamples } from './cluster/seed-examples.js'

await runCluster({
  name: 'llm-gateway',
  usage: USAGE,
  readFlags: readClusterFlags,
  programs: ['redis-server'],
  ports: portsOf,
  start,
  welcome,
})

async function start(cluster: Cluster, flags: ClusterFlags): Promise<void> {
  const { gateways, models, redis } = flags
  await cluster.add(redisPart(cluster.folder('redis'), redis))
  await seedExamples(redis)
  for (const [i, port] of models.entries()) {
    const name = String.fromCharCode(97 + i)
    await cluster.add(modelServer(port, ['--name', name, '--token-ms', flags.tokenMs]))
  }
  for (const port of gateways) await cluster.add(gateway(port, flags))
}

function welcome({ gateways: [first, ...others] }: ClusterFlags): string {
  return `cluster: http://localhost:${first} is a gateway, and so is ${others.map((port) => `http://localhost:${port}`).join(', ')}; they share one Redis. Try:

  curl -i http://localhost:${first}/v1/chat/completions -H 'Authorization: Bearer sk-ann' -d '{"model":"small","messages":[{"role":"user","content":"Count"}]}'

Ctrl-C ends all of it.`
}
