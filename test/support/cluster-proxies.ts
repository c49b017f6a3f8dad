import type { ScriptClient } from '@rl/core/redis'
import { Cluster } from 'ioredis'
import { Cluster as Cluster5 } from 'ioredis5'
import type { OpenClient } from './redis-clients.js'
import { SAFE } from './redis-clients.js'
import type { RedisCluster } from './redis-cluster.js'
import { startProxy, type TcpProxy } from './tcp-proxy.js'
import { waitUntil } from './wait-until.js'

/** A wire with faults in front of each node. */
export interface ClusterProxies {
  readonly all: readonly TcpProxy[]
  /** The wire to the node on that port. */
  to(port: number): TcpProxy
  /** A Cluster of ioredis that reaches every node through its wire. */
  connect(major: 5 | 6): Promise<OpenClient>
  stop(): void
}

export async function startClusterProxies({ nodes }: RedisCluster): Promise<ClusterProxies> {
  const all = await Promise.all(nodes.map(({ port }) => startProxy({ target: port })))
  const host = '127.0.0.1'
  const natMap = Object.fromEntries(
    nodes.map(({ port }, i) => [`${host}:${port}`, { host, port: all[i]!.port }]),
  )
  return {
    all,
    to(port) {
      const proxy = all[nodes.findIndex((node) => node.port === port)]
      if (proxy === undefined) throw new RangeError(`no node on port ${port}`)
      return proxy
    },
    async connect(major) {
      const Class = major === 6 ? Cluster : Cluster5
      const options = { enableOfflineQueue: false, retryDelayOnFailover: 0, redisOptions: SAFE, natMap }
      const client = new Class([{ host, port: all[0]!.port }], options)
      client.on('error', () => {})
      await waitUntil(() => client.status === 'ready', { what: 'the cluster is reached', timeoutMs: 10_000 })
      // All that it has, the types of ioredis do not name.
      return { client: client as typeof client & ScriptClient, close: () => client.disconnect() }
    },
    stop() {
      for (const proxy of all) proxy.stop()
    },
  }
}
