import { connectRedis } from '@rl/core/ioredis'
import { redisStore } from '@rl/core/redis'
import type { Limits } from './app.js'
import type { Flags } from './flags.js'

/** One limit in this process, or in Redis for all gateways; a token bucket of this process stands in for a lost Redis. */
export function limitsOf({ limit, standby, redis }: Flags): Limits & { readonly close: () => void } {
  if (redis === undefined) return { limit, counting: () => 'in this process', close: () => {} }
  const client = connectRedis(redis)
  const store = redisStore({ client })
  return {
    limit,
    store,
    onStoreFailure: { local: standby },
    counting: () => (store.available?.() === false ? 'in this process, as Redis is gone' : 'in Redis'),
    close: () => client.disconnect(),
  }
}
