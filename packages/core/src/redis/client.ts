import { configError } from '../model/errors.js'
import type { Corkable } from './one-write.js'

/** What the store needs of a Redis client: ioredis (5 or 6), its Cluster, or node-redis through `fromNodeRedis`. */
export type RedisClient = ScriptClient | TypedClient

/** One that runs scripts, and gives the text that they answer as bytes. */
export interface ScriptClient extends AnyClient {
  /** By its hash. */
  evalshaBuffer(sha: string, keys: number, ...keysAndArguments: string[]): Promise<unknown>
  /** By its text. */
  evalBuffer(script: string, keys: number, ...keysAndArguments: string[]): Promise<unknown>
}

/** What the types of ioredis say that it has: of the two it needs they do not tell. */
interface TypedClient extends AnyClient, Partial<Pick<ScriptClient, 'evalshaBuffer' | 'evalBuffer'>> {
  evalsha(sha: string, keys: number, ...keysAndArguments: string[]): Promise<unknown>
}

interface AnyClient {
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

export function runsScripts(client: RedisClient | undefined): client is ScriptClient {
  return typeof client?.evalshaBuffer === 'function' && typeof client.evalBuffer === 'function'
}

/** The part of a node-redis client, cluster, pool or sentinel that `fromNodeRedis` uses. */
export interface NodeRedisClient {
  withTypeMapping(mapping: never): NodeRedisScripts
  del(keys: string[]): Promise<unknown>
  readonly isReady?: boolean
  readonly isOpen?: boolean
  /** Of a cluster. */
  readonly slots?: readonly ({ readonly master: { readonly address: string } } | undefined)[]
}

interface NodeRedisScripts {
  evalSha(sha: string, options: ScriptCall): Promise<unknown>
  eval(script: string, options: ScriptCall): Promise<unknown>
}

interface ScriptCall {
  keys: string[]
  arguments: string[]
}

declare const Buffer: unknown

/** By the first byte of a string of any bytes in the protocol. */
const STRING = 36

/**
 * node-redis (5 and later) in the shape of ioredis. Create it with `disableOfflineQueue: true`.
 *
 * @throws RateLimitError `RL_CONFIG` for a client of node-redis 4
 */
export function fromNodeRedis(client: NodeRedisClient): ScriptClient {
  if (typeof client?.withTypeMapping !== 'function') {
    throw configError(
      'client',
      client,
      'takes a client of node-redis 5 or later, which has withTypeMapping()',
    )
  }
  const scripts = client.withTypeMapping({ [STRING]: Buffer } as never)
  const call = (keys: number, list: string[]): ScriptCall => ({
    keys: list.slice(0, keys),
    arguments: list.slice(keys),
  })
  return {
    evalshaBuffer: (sha, keys, ...list) => scripts.evalSha(sha, call(keys, list)),
    evalBuffer: (script, keys, ...list) => scripts.eval(script, call(keys, list)),
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
