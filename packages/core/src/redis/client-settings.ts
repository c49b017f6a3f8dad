import type { Logger } from '../model/logger.js'
import type { RedisClient } from './client.js'

interface Settings {
  readonly enableAutoPipelining?: unknown
  readonly enableOfflineQueue?: unknown
  readonly maxRetriesPerRequest?: unknown
  readonly retryDelayOnFailover?: unknown
  readonly redisOptions?: { readonly maxRetriesPerRequest?: unknown } | undefined
}

/** Names, in one warning, the ioredis settings with which a limit can be charged twice, late, or after a long wait. */
export function warnOfSettings(client: RedisClient, logger: Logger): void {
  const settings = client.options as Settings | undefined
  if (settings === undefined) return
  const wrong = client.isCluster === true ? wrongInCluster(settings) : wrongInClient(settings)
  if (wrong.length === 0) return
  logger.warn(
    `[rl] redisStore: the client should have ${wrong.join(', ')}. connectRedis of @rl/core/ioredis sets all of it.`,
  )
}

function wrongInClient({ enableOfflineQueue, maxRetriesPerRequest }: Settings): string[] {
  const wrong: string[] = []
  if (enableOfflineQueue !== false) wrong.push(OFFLINE_QUEUE)
  if (maxRetriesPerRequest !== 0) wrong.push(RETRIES)
  return wrong
}

function wrongInCluster(settings: Settings): string[] {
  const { enableAutoPipelining, enableOfflineQueue, retryDelayOnFailover, redisOptions } = settings
  const wrong: string[] = []
  if (enableAutoPipelining === true) wrong.push(TOGETHER)
  if (enableOfflineQueue !== false) wrong.push(OFFLINE_QUEUE)
  if (retryDelayOnFailover !== 0)
    wrong.push('retryDelayOnFailover: 0 (else a cut call is sent again and charges twice)')
  if (redisOptions?.maxRetriesPerRequest !== 0) wrong.push(`redisOptions: { ${RETRIES} }`)
  return wrong
}

const TOGETHER = 'enableAutoPipelining: false (else calls of several slots fail before ioredis 5.11)'
const OFFLINE_QUEUE = 'enableOfflineQueue: false (else calls wait for a lost Redis)'
const RETRIES = 'maxRetriesPerRequest: 0 (else a cut call is sent again and charges twice)'
