import { Cluster, type ClusterNode, type ClusterOptions, Redis, type RedisOptions } from 'ioredis'

/** Options of ioredis, but for one that changes the type of the client: a limiter's replies are the same with it. */
export type ConnectOptions = Omit<RedisOptions, 'replyMapping'>

/** Options of ioredis's Cluster. */
export type ConnectClusterOptions = Omit<ClusterOptions, 'redisOptions'> & {
  readonly redisOptions?: NodeOptions
}

type NodeOptions = Omit<NonNullable<ClusterOptions['redisOptions']>, 'replyMapping'>

/** Settings with which a call is sent once, fails at once when it can't be answered, and never comes back later. */
const SAFE = {
  enableOfflineQueue: false,
  maxRetriesPerRequest: 0,
  connectTimeout: 1000,
  // A peer that has vanished without a word is noticed although the kernel would wait for minutes. Shorter, and a process
  // that is busy for a moment would cut off a Redis that has answered long ago.
  socketTimeout: 5000,
  // Of a Redis that loads its data, asked again so often; by default for as long as that takes, and ten seconds at most.
  maxLoadingRetryTime: 500,
  enableAutoPipelining: false,
  retryStrategy: reconnectDelay,
  reconnectOnError: isReadOnly,
} satisfies RedisOptions

/** An ioredis client for a limiter alone: `connectRedis('redis://…')`, or options of ioredis, which win over ours. */
export function connectRedis(target: string | ConnectOptions): Redis {
  return quiet(
    typeof target === 'string' ? new Redis(target, SAFE) : new Redis(Object.assign({}, SAFE, target)),
  )
}

/** The same for a Redis Cluster. */
export function connectRedisCluster(nodes: ClusterNode[], options: ConnectClusterOptions = {}): Cluster {
  return connectNodes(
    quiet(new Cluster(nodes, Object.assign({}, SAFE_CLUSTER, options, { redisOptions: safeNode(options) }))),
  )
}

/** A node would connect at its first command, and refuse those that come while it does: it is to be there before. */
function connectNodes(cluster: Cluster): Cluster {
  const connect = (node: Redis): void => {
    // One that can't be reached leaves the cluster's list, and calls to it say so.
    if (node.status === 'wait') node.connect().catch(() => {})
  }
  // Not sooner: the cluster's own first question would find a node that is connecting, and take it for a failure.
  cluster.on('ready', () => cluster.nodes().forEach(connect))
  return cluster.on('+node', (node: Redis) => {
    if (cluster.status === 'ready') connect(node)
  })
}

const SAFE_CLUSTER = {
  enableOfflineQueue: false,
  retryDelayOnFailover: 0,
  // By default a call would be sent sixteen times, a tenth of a second apart, while a decision has half of that.
  retryDelayOnClusterDown: 0,
  clusterRetryStrategy: reconnectDelay,
} satisfies ClusterOptions

function safeNode({ redisOptions }: ConnectClusterOptions): NodeOptions {
  return Object.assign({}, SAFE, redisOptions)
}

/** 50 ms, doubled up to a second, with up to a quarter at random, so that instances do not come back in step. */
function reconnectDelay(attempt: number): number {
  return Math.min(50 * 2 ** Math.min(attempt - 1, 5), 1000) * (0.75 + Math.random() / 4)
}

/** A primary that was demoted keeps its connections: leave it, and find the new one. Before 7.0 it says so within a text. */
function isReadOnly(error: Error): boolean {
  return error.message.includes('READONLY')
}

/** Without a listener ioredis prints every failed attempt to connect; a limiter's log tells of failures, and of few. */
function quiet<T extends Redis | Cluster>(client: T): T {
  client.on('error', () => {})
  return client
}
