import { type Duration, parseDuration } from '../model/duration.js'
import { configError } from '../model/errors.js'
import { type Limit, toPolicies } from '../model/limit.js'
import { type Logger, toLogger } from '../model/logger.js'
import { checkOptions } from '../model/suggest.js'
import type { KeyFunction } from './keys.js'

export interface CachedLimitOptions<Ctx> {
  /** Whose limit it is: the key under which it is kept. Nothing is an error, so give the anonymous one of their own. */
  readonly by: KeyFunction<Ctx>
  /** How long a limit holds until it is loaded again. */
  readonly ttl: Duration
  /** What holds where no limit can be loaded: a limit, or `'refuse'`, which answers 503. */
  readonly onError: Limit | 'refuse'
  /** How long beyond `ttl` the last limit holds while a newer one is being loaded, or can't be. @default not at all */
  readonly stale?: Duration | undefined
  /** How long a failure holds until the next request loads again. @default '1s', or `ttl` where that is less */
  readonly retry?: Duration | undefined
  /** How long a load may take. @default '1s' */
  readonly timeout?: Duration | undefined
  /** How many limits are kept, the ones used last. @default 10_000 */
  readonly maxKeys?: number | undefined
  /** Takes a line when loads fail, and one every five seconds while they do. @default console */
  readonly logger?: Logger | undefined
}

export interface Settings<Ctx> {
  readonly by: KeyFunction<Ctx>
  readonly ttlMs: number
  readonly staleMs: number
  readonly retryMs: number
  readonly timeoutMs: number
  readonly maxKeys: number
  readonly onError: Limit | 'refuse'
  readonly logger: Logger
}

const OPTIONS = ['by', 'ttl', 'onError', 'stale', 'retry', 'timeout', 'maxKeys', 'logger']
const MAX_KEYS = 1_000_000

/** @throws RateLimitError `RL_CONFIG` */
export function checkCachedLimit<Ctx>(load: unknown, options: CachedLimitOptions<Ctx>): Settings<Ctx> {
  if (typeof load !== 'function')
    throw configError('cachedLimit', load, 'takes a function (ctx) => the limit')
  checkOptions('cachedLimit', options, OPTIONS)
  const { by, ttl, onError, stale, timeout = '1s', maxKeys = 10_000 } = options
  if (typeof by !== 'function') throw configError('by', by, 'is a function (ctx) => whose limit it is')
  if (!Number.isInteger(maxKeys) || maxKeys < 1 || maxKeys > MAX_KEYS)
    throw configError('maxKeys', maxKeys, `must be a whole number from 1 to ${MAX_KEYS}`)
  const ttlMs = parseDuration(ttl, 'ttl')
  const { retry = Math.min(1000, ttlMs) } = options
  return {
    by,
    ttlMs,
    staleMs: stale === undefined ? 0 : parseDuration(stale, 'stale'),
    retryMs: parseDuration(retry, 'retry'),
    timeoutMs: checkTimeout(parseDuration(timeout, 'timeout')),
    maxKeys,
    onError: onError === 'refuse' ? onError : toPolicies(onError, 'onError'),
    logger: toLogger(options.logger),
  }
}

/** What was loaded, as a limit that no later change of its object reaches. @throws RateLimitError `RL_CONFIG` */
export function checkLoaded(given: unknown): Limit {
  const policies = toPolicies(given, 'the limit that was loaded')
  // A limiter knows the policies of a text already.
  return typeof given === 'string' ? given : policies
}

/** Timers know 24.8 days; longer ones end at once. */
function checkTimeout(ms: number): number {
  if (ms <= 600_000) return ms
  throw configError('timeout', ms, 'is 10 minutes at most')
}
