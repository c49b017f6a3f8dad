import { connectRedis, connectRedisCluster } from '@rl/core/ioredis'
import { fromNodeRedis, type NodeRedisClient, type RedisClient, type ScriptClient } from '@rl/core/redis'
import { Cluster as Cluster5, Redis as Redis5 } from 'ioredis5'
import { createClient, createCluster } from 'redis'
import { createClient as createClient5 } from 'redis5'
import { waitUntil } from './wait-until.js'

/** A connected client. */
export interface OpenClient {
  readonly client: ScriptClient
  close(): void
}

/** Where a client connects: one server, or some nodes of a cluster. */
export type Ports = readonly [number, ...number[]]

export type Connect = (ports: Ports) => Promise<OpenClient>

/** What `connectRedis` sets, for the major that it does not import. */
export const SAFE = {
  enableOfflineQueue: false,
  maxRetriesPerRequest: 0,
  connectTimeout: 1000,
  socketTimeout: 5000,
  retryStrategy: () => 50,
  reconnectOnError: (error: Error) => error.message.includes('READONLY'),
}

/** Clients of one server, with the settings that a limiter needs. */
export const CLIENTS = {
  'ioredis 6': ([port]) => ready(connectRedis({ host: '127.0.0.1', port })),
  'ioredis 5': ([port]) => ready(new Redis5({ host: '127.0.0.1', port, ...SAFE })),
  'node-redis 6': ([port]) => connected(createClient({ url: urlOf(port), disableOfflineQueue: true })),
  'node-redis 5': ([port]) => connected(createClient5({ url: urlOf(port), disableOfflineQueue: true })),
} as const satisfies Readonly<Record<string, Connect>>

/** Clients of a cluster. */
export const CLUSTER_CLIENTS = {
  'Cluster of ioredis 6': (ports) => allReady(connectRedisCluster(ports.map(nodeAt))),
  'Cluster of ioredis 5': (ports) => clusterOfFive(ports),
  'cluster of node-redis': (ports) => {
    const rootNodes = ports.map((port) => ({ url: urlOf(port) }))
    return connected(createCluster({ rootNodes, defaults: { disableOfflineQueue: true } }))
  },
} as const satisfies Readonly<Record<string, Connect>>

/** Clusters that send the commands of one turn of the event loop together, as far as they go to one node. */
export const TOGETHER_CLIENTS = {
  'Cluster of ioredis 6, together': (ports) =>
    allReady(connectRedisCluster(ports.map(nodeAt), { enableAutoPipelining: true })),
  'Cluster of ioredis 5, together': (ports) => clusterOfFive(ports, { enableAutoPipelining: true }),
} as const satisfies Readonly<Record<string, Connect>>

function clusterOfFive(ports: Ports, more: object = {}): Promise<OpenClient> {
  const options = { enableOfflineQueue: false, retryDelayOnFailover: 0, redisOptions: SAFE, ...more }
  const cluster = new Cluster5(ports.map(nodeAt), options)
  cluster.on('ready', () => {
    for (const node of cluster.nodes()) node.connect().catch(() => {})
  })
  return allReady(cluster)
}

type ConnectingCluster = Connecting & {
  nodes(role: 'master'): readonly { readonly status: string }[]
}

/** A cluster is ready before the connections to its nodes are. */
async function allReady(client: ConnectingCluster): Promise<OpenClient> {
  const open = await ready(client)
  const areReady = () => client.nodes('master').every(({ status }) => status === 'ready')
  await waitUntil(areReady, { what: 'the nodes are connected', timeoutMs: 10_000 })
  return open
}

/** As the types of ioredis have it, which do not name all that it has. */
type Connecting = RedisClient & {
  on(event: 'error', listener: (error: Error) => void): unknown
  disconnect(): void
}

async function ready(client: Connecting): Promise<OpenClient> {
  client.on('error', () => {})
  await waitUntil(() => client.status === 'ready', { what: 'the client is ready', timeoutMs: 10_000 })
  return { client: client as Connecting & ScriptClient, close: () => client.disconnect() }
}

interface NodeRedis extends NodeRedisClient {
  on(event: 'error', listener: (error: Error) => void): unknown
  connect(): Promise<unknown>
  destroy(): void
}

async function connected(client: NodeRedis): Promise<OpenClient> {
  client.on('error', () => {})
  await client.connect()
  return { client: fromNodeRedis(client), close: () => client.destroy() }
}

function urlOf(port: number): string {
  return `redis://127.0.0.1:${port}`
}

function nodeAt(port: number): { readonly host: string; readonly port: number } {
  return { host: '127.0.0.1', port }
}
