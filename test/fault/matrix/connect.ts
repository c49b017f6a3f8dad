import { connectRedis, connectRedisCluster } from '@rl/core/ioredis'
import type { Cluster, Redis } from 'ioredis'
import type { Place } from './fault.js'

/** The client that the packages recommend. */
export function connect({ target }: Place): Redis | Cluster {
  if (!('nodes' in target)) return connectRedis({ ...target })
  const host = '127.0.0.1'
  const wires = Object.entries(target.wires)
  const natMap = Object.fromEntries(wires.map(([port, wire]) => [`${host}:${port}`, { host, port: wire }]))
  return connectRedisCluster(
    target.nodes.map((port) => ({ host, port })),
    { natMap },
  )
}
