import { setTimeout as sleep } from 'node:timers/promises'
import { type Charge, type Counted, createLimiter, type Policy, slidingLog } from '@rl/core'
import { type RedisClient, redisStore } from '@rl/core/redis'

/** A log that forgets nothing: what was charged is in it, with its time. */
export const policies: readonly Policy[] = createLimiter({
  limit: slidingLog({ limit: 1_000_000, window: '36525d' }),
}).policies

export function chargeFor(key: string, costs = 1): Charge {
  return { limiter: 'fault', key, policies, costs }
}

/** What was charged to a key, as a store sees it that has all the time it needs. */
export async function usedOf(client: RedisClient, prefix: string, key: string): Promise<number> {
  const store = redisStore({
    client,
    prefix,
    deadlineMs: 20_000,
    logger: { warn: () => {}, error: () => {} },
  })
  const { used } = (await store.consume([chargeFor(key)], 'peek')) as Counted
  await store.close()
  return used
}

/** Not a moment less: a timer counts from the beginning of the turn that it was set in. */
export async function pause(ms: number): Promise<void> {
  const end = performance.now() + ms
  while (performance.now() < end) await sleep(1)
}

export interface Settled {
  readonly allowed: number
  /** By the code of the error. */
  readonly failed: Readonly<Record<string, number>>
}

export async function outcomesOf(calls: readonly Promise<unknown>[]): Promise<Settled> {
  const failed: Record<string, number> = {}
  let allowed = 0
  for (const outcome of await Promise.allSettled(calls)) {
    if (outcome.status === 'rejected') failed[outcome.reason.code] = (failed[outcome.reason.code] ?? 0) + 1
    else if ((outcome.value as Counted).allowed) allowed++
  }
  return { allowed, failed }
}
