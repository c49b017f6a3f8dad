import type { RedisClient } from '@rl/core/redis'
import { Redis } from 'ioredis'
import { beforeAll } from 'vitest'
import { startRedis } from '../support/redis-server.js'
import { type InjectedScript, injectedScripts } from './injected-scripts.js'

/** A client by which a Redis store counts by a clock of the test. */
export interface InjectedClient extends RedisClient {
  now: number
}

/** A server for the tests of a file. The result makes clients whose logs stand in blocks of the given size. */
export function useInjectedClients(blocks: readonly number[]): (block: number) => () => InjectedClient {
  const making = new Map<number, () => InjectedClient>()
  beforeAll(async () => {
    const server = await startRedis()
    const redis = new Redis(server.port)
    for (const block of blocks) {
      const scripts = injectedScripts(block)
      for (const { text } of scripts.values()) await redis.script('LOAD', text)
      making.set(block, () => injectedClient(redis, scripts))
    }
    return () => {
      redis.disconnect()
      return server.stop()
    }
  })
  return (block) => {
    const make = making.get(block)
    if (make === undefined) throw new RangeError(`no scripts with blocks of ${block}`)
    return make
  }
}

function injectedClient(redis: Redis, scripts: ReadonlyMap<string, InjectedScript>): InjectedClient {
  const client: InjectedClient = {
    now: 0,
    evalsha(sha, keys, ...list) {
      const script = scripts.get(sha)
      if (script === undefined) throw new RangeError('no such script')
      // The store's bounds are of the server's own clock, which does not jump about as this one does.
      list.splice(keys + script.boundsAt, 2, '0', String(Number.MAX_SAFE_INTEGER))
      return redis.evalsha(script.sha, keys, ...list, String(client.now))
    },
    eval: () => Promise.reject(new Error('the scripts are loaded')),
    del: (...keys) => redis.del(...keys),
  }
  return client
}
