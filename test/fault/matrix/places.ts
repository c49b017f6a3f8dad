import { keyPrefix } from '../../support/keys.js'
import type { RedisCluster } from '../../support/redis-cluster.js'
import type { RedisServer } from '../../support/redis-server.js'
import { startProxy, type TcpProxy } from '../../support/tcp-proxy.js'
import { LIMITERS, type Place, type Sent } from './fault.js'

/** A wire for each limiter: what they send is counted apart, and one that leaves is not counted at all. */
export interface Wires {
  readonly all: readonly TcpProxy[]
  readonly places: readonly Place[]
  sent(): Sent
  stop(): void
}

const KEY = 'ann'
const HOST = '127.0.0.1'

export async function wiresTo(port: number, host = HOST): Promise<Wires> {
  const all = await Promise.all(LIMITERS.map(() => startProxy({ target: port })))
  const prefix = keyPrefix()
  const places = all.map((proxy) => ({ target: { host, port: proxy.port }, prefix, key: KEY }))
  return { all, places, sent: () => sentOver(all.slice(0, -1)), stop: () => stopAll(all) }
}

/** Wires to all nodes, and a key that the first node serves. */
export async function wiresToCluster(cluster: RedisCluster): Promise<Wires> {
  const ports = cluster.nodes.map(({ port }) => port)
  const prefix = keyPrefix()
  const key = await keyOf(cluster, cluster.nodes[0] as RedisServer)
  const sets = await Promise.all(
    LIMITERS.map(() => Promise.all(ports.map((target) => startProxy({ target })))),
  )
  const places = sets.map((set) => {
    const wires = Object.fromEntries(ports.map((port, i) => [port, (set[i] as TcpProxy).port]))
    return { target: { nodes: set.map(({ port }) => port), wires }, prefix, key }
  })
  const all = sets.flat()
  return { all, places, sent: () => sentOver(sets.slice(0, -1).flat()), stop: () => stopAll(all) }
}

/** What the limiters write. */
export function keysAt({ prefix, key }: Place): readonly string[] {
  return LIMITERS.map((name) => `${prefix}:${name}:{${key}}`)
}

async function keyOf(cluster: RedisCluster, node: RedisServer): Promise<string> {
  for (let i = 0; ; i++) {
    const owner = await cluster.primaryOf(await cluster.slotOf(`{k${i}}`))
    if (owner === node) return `k${i}`
  }
}

function sentOver(proxies: readonly TcpProxy[]): Sent {
  const sum = (of: keyof Sent) => proxies.reduce((total, { counters }) => total + counters[of], 0)
  return { connections: sum('connections'), scriptCalls: sum('scriptCalls') }
}

function stopAll(proxies: readonly TcpProxy[]): void {
  for (const proxy of proxies) proxy.stop()
}
