import type { LimiterOptions, RateLimitEvent, Store } from '@rl/core'
import { connectRedis } from '@rl/core/ioredis'
import { type RedisClient, redisStore } from '@rl/core/redis'
import { afterEach, onTestFinished } from 'vitest'
import { keyPrefix } from '../support/keys.js'
import type { RedisServer } from '../support/redis-server.js'
import { useServer } from '../support/use-redis.js'
import { waitUntil } from '../support/wait-until.js'

/** Long enough for a healthy Redis on a full machine. */
export const PATIENT_MS = 5000

export const silent = { warn: () => {}, error: () => {} }

/** A server that tests may kill and freeze: the next one finds it well. */
export function useMortalServer(): () => RedisServer {
  const server = useServer()
  afterEach(async () => {
    if (server().state === 'frozen') server().thaw()
    if (server().state === 'dead') await server().restart()
  })
  return server
}

/** A client of a port, as the packages recommend it, which ends with the test. */
export function clientOf(port: number): ReturnType<typeof connectRedis> {
  const client = connectRedis({ host: '127.0.0.1', port })
  onTestFinished(() => client.disconnect())
  return client
}

/** A limiter's options over Redis: for `createLimiter`, and for `rateLimit` of every framework. */
export interface Limited {
  readonly store: Store
  /** What it told of. */
  readonly events: readonly RateLimitEvent[]
  readonly options: LimiterOptions & { readonly store: Store }
}

/** The store ends with the test. */
export function limitedBy(
  client: RedisClient,
  given: Pick<LimiterOptions, 'limit' | 'onStoreFailure'>,
  deadlineMs = PATIENT_MS,
): Limited {
  const store = redisStore({ client, prefix: keyPrefix(), deadlineMs, logger: silent })
  onTestFinished(() => store.close())
  const events: RateLimitEvent[] = []
  const onEvent = (event: RateLimitEvent) => void events.push(event)
  return { store, events, options: { name: 'l', store, logger: silent, onEvent, ...given } }
}

/** Waits until a store may be asked. */
export async function untilAvailable(store: Store): Promise<void> {
  await waitUntil(() => store.available?.(), { what: 'the store may be asked', timeoutMs: 15_000 })
}
