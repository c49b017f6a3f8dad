import type { RedisClient } from '@rl/core/redis'
import type { Redis } from 'ioredis'
import { type InjectedScript, injectedScripts } from './injected-scripts.js'

/** A client by which a Redis store counts by a clock of the test. */
export interface InjectedClient extends RedisClient {
  now: number
}

/** Gives a server the scripts with logs in blocks of that size; clients that use them may share the connection. */
export async function injectedClients(redis: Redis, block: number): Promise<() => InjectedClient> {
  const scripts = injectedScripts(block)
  for (const { text } of scripts.values()) await redis.script('LOAD', text)
  return () => injectedClient(redis, scripts)
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
