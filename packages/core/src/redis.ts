import { configError } from './model/errors.js'
import type { BreakerState, OnEvent } from './model/event.js'
import { type Logger, toLogger } from './model/logger.js'
import { checkName } from './model/name.js'
import type { Store } from './model/store.js'
import { checkOptions } from './model/suggest.js'
import { type RedisClient, runsScripts } from './redis/client.js'
import { warnOfSettings } from './redis/client-settings.js'
import { isOfOneKey } from './redis/key-error.js'
import { RawRedisStore } from './redis/raw-store.js'
import { breaker } from './resilience/breaker.js'
import { listener } from './resilience/listener.js'

export { fromNodeRedis, type NodeRedisClient, type RedisClient, type ScriptClient } from './redis/client.js'

export interface RedisStoreOptions {
  /** ioredis (5 or 6), its Cluster, or `fromNodeRedis(client)`. Best made by `connectRedis` of `@rl/core/ioredis`. */
  readonly client: RedisClient
  /** Begins every key. @default 'rl' */
  readonly prefix?: string | undefined
  /** Milliseconds in which Redis must have answered; a call never charges after them. @default 50 */
  readonly deadlineMs?: number | undefined
  /** Told once of settings of the client that a limiter must not have. @default console */
  readonly logger?: Logger | undefined
  /** Told when the breaker opens and closes. */
  readonly onEvent?: OnEvent | undefined
}

/** A store in Redis, with a breaker in front of it. */
export interface RedisStore extends Store {
  /** Open: calls fail at once, and nothing is sent but a probe. */
  readonly breaker: BreakerState
}

/** Longer, and a request would sooner be given up by its client than by us. */
const MAX_DEADLINE_MS = 60_000

/** One limit for all instances, counted in Redis by its clock. @throws RateLimitError `RL_CONFIG` */
export function redisStore(options: RedisStoreOptions): RedisStore {
  checkOptions('redisStore', options, ['client', 'prefix', 'deadlineMs', 'logger', 'onEvent'])
  const { client, prefix = 'rl', deadlineMs = 50, onEvent } = options
  if (!runsScripts(client) || typeof client.del !== 'function') {
    throw configError('client', client, 'takes an ioredis client, or fromNodeRedis(client) for node-redis')
  }
  if (!Number.isInteger(deadlineMs) || deadlineMs < 1 || deadlineMs > MAX_DEADLINE_MS) {
    throw configError('deadlineMs', deadlineMs, `must be whole milliseconds from 1 to ${MAX_DEADLINE_MS}`)
  }
  const logger = toLogger(options.logger)
  warnOfSettings(client, logger)
  const raw = new RawRedisStore(client, checkName(prefix, 'prefix'), deadlineMs)
  return breaker(raw, {
    isReady: () => isReady(client.status),
    isOfOneKey,
    onEvent: onEvent && listener(onEvent, logger),
  })
}

/** A client that connects at its first command says `wait`, and must get one. */
function isReady(status: string | undefined): boolean {
  return status === undefined || status === 'ready' || status === 'wait'
}
