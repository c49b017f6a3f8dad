import { type Counted, createLimiter, type Limiter } from '@rl/core'
import { connectRedis } from '@rl/core/ioredis'
import { redisStore } from '@rl/core/redis'
import { ALGORITHMS, type AlgorithmName } from './algorithms.js'
import type { Check } from './check.js'
import { within } from './within.js'

/** Who decides, and how it is doing. */
export interface Limits {
  decide(check: Check): Counted | Promise<Counted>
  health(): Health | Promise<Health>
  close(): Promise<void>
}

export interface Health {
  readonly status: 'ready' | 'degraded'
  readonly redis: 'ready' | 'unreachable' | 'unused'
  /** Where the next check will be counted: in Redis, or in this process while Redis is away. */
  readonly source: 'store' | 'local' | 'constant'
}

export interface LimitsOptions {
  readonly redis: string
  readonly prefix: string
  readonly deadlineMs: number
}

/** A start waits for Redis so long, so that the first checks are not counted in this process. */
const CONNECT_MS = 2000

/**
 * Limits that all instances share through Redis. One limiter an algorithm, however many limits are asked for: every check
 * brings its own, so nothing here grows with what clients send.
 */
export async function sharedLimits({ redis, prefix, deadlineMs }: LimitsOptions): Promise<Limits> {
  const client = connectRedis(redis)
  const store = redisStore({ client, prefix, deadlineMs })
  const limiterFor = (name: string): Limiter => createLimiter({ name, store, limit: 'per-call' })
  const names = Object.keys(ALGORITHMS) as AlgorithmName[]
  const limiters = Object.fromEntries(names.map((name) => [name, limiterFor(name)])) as Limiters
  await within(CONNECT_MS, new Promise((resolve) => client.once('ready', resolve)))
  return {
    async decide({ algorithm, key, cost, policy }) {
      const decision = await limiters[algorithm].consume(key, { cost, limit: policy })
      if (decision.counted) return decision
      throw new Error(`a limit in this process counts as well; got ${decision.source}`)
    },
    async health() {
      const answered = await within(deadlineMs, client.ping())
      const source = store.available?.() === false ? 'local' : 'store'
      const status = answered && source === 'store' ? 'ready' : 'degraded'
      return { status, redis: answered ? 'ready' : 'unreachable', source }
    },
    async close() {
      for (const limiter of Object.values(limiters)) await limiter.close()
      await store.close()
      client.disconnect()
    },
  }
}

type Limiters = Readonly<Record<AlgorithmName, Limiter>>

/** Lets every check pass and counts none: what the service costs without its limiter, for the benchmark alone. */
export function constantLimits(): Limits {
  return {
    decide: ({ policy, cost }) => ({
      counted: true,
      allowed: true,
      source: 'constant',
      reason: 'ok',
      policy: '',
      cost,
      limit: policy.limit,
      remaining: policy.limit,
      used: 0,
      resetAfterMs: 0,
      retryAfterMs: 0,
      policies: [],
      receipt: null,
    }),
    health: () => ({ status: 'ready', redis: 'unused', source: 'constant' }),
    close: () => Promise.resolve(),
  }
}
