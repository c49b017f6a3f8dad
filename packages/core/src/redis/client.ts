import type { Corkable } from './one-write.js'

/** What the store needs of a Redis client: ioredis (5 or 6), its Cluster, or node-redis through `fromNodeRedis`. */
export interface RedisClient {
  evalsha(sha: string, keys: number, ...keysAndArguments: string[]): Promise<unknown>
  eval(script: string, keys: number, ...keysAndArguments: string[]): Promise<unknown>
  del(...keys: string[]): Promise<unknown>
  /** ioredis's connection state; anything but `'ready'` means that a command would wait. */
  readonly status?: string
  /** ioredis's connection: calls of one turn of the event loop are written to it together. */
  readonly stream?: Corkable | undefined
  /** True where keys live in slots. */
  readonly isCluster?: boolean
  /** ioredis's Cluster: the nodes of each slot, the primary first. */
  readonly slots?: readonly (readonly string[] | undefined)[]
  /** The same for other clients: the primary of a slot. */
  primaryOf?(slot: number): string | undefined
  /** ioredis's settings: looked through once for those that a limiter must not have. */
  readonly options?: object
}

/** The part of a node-redis client, or cluster, that `fromNodeRedis` uses. */
export interface NodeRedisClient {
  evalSha(sha: string, options: ScriptCall): Promise<unknown>
  eval(script: string, options: ScriptCall): Promise<unknown>
  del(keys: string[]): Promise<unknown>
  readonly isReady?: boolean
  readonly isOpen?: boolean
  /** Of a cluster. */
  readonly slots?: readonly ({ readonly master: { readonly address: string } } | undefined)[]
}

interface ScriptCall {
  keys: string[]
  arguments: string[]
}

/** node-redis (4 and later) in the shape of ioredis. Create it with `disableOfflineQueue: true`. */
export function fromNodeRedis(client: NodeRedisClient): RedisClient {
  const call = (keys: number, list: string[]): ScriptCall => ({
    keys: list.slice(0, keys),
    arguments: list.slice(keys),
  })
  return {
    evalsha: (sha, keys, ...list) => client.evalSha(sha, call(keys, list)),
    eval: (script, keys, ...list) => client.eval(script, call(keys, list)),
    del: (...keys) => client.del(keys),
    get status() {
      return (client.isReady ?? client.isOpen) === false ? 'connecting' : 'ready'
    },
    // Only its cluster client knows slots.
    isCluster: 'slots' in client,
    primaryOf: (slot) => client.slots?.[slot]?.master.address,
  }
}

/** A name for the node that serves a slot; where the client tells of none, every slot is taken for a node. */
export function nodeOf(client: RedisClient, slot: number): string | number {
  return client.slots?.[slot]?.[0] ?? client.primaryOf?.(slot) ?? slot
}
