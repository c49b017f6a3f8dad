import { setTimeout as sleep } from 'node:timers/promises'
import { connectRedis } from '@rl/core/ioredis'
import { type RedisClient, redisStore } from '@rl/core/redis'
import { Redis as Redis5 } from 'ioredis5'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { usedOf } from '../fault/counts.js'
import { keyPrefix } from '../support/keys.js'
import { SAFE } from '../support/redis-clients.js'
import { type SentinelGroup, startSentinel } from '../support/sentinel.js'
import { waitUntil } from '../support/wait-until.js'
import { callWhile } from './outcomes.js'

const KEYS = ['anna', 'bert', 'carl']
const DEADLINE = 100
/** What a primary had answered, and its replica had not heard of when it was killed: a turn of its loop or two. */
const LOST = 100

interface Sentinels {
  readonly name: string
  readonly sentinels: { host: string; port: number }[]
}

const CLIENTS = {
  'ioredis 6': (options: Sentinels) => connectRedis(options),
  'ioredis 5': (options: Sentinels) => new Redis5({ ...options, ...SAFE }),
}

describe.each(Object.entries(CLIENTS))('a failover by Sentinel, over %s', (_, create) => {
  let group: SentinelGroup
  let client: RedisClient & { disconnect(): void }
  beforeEach(async () => {
    group = await startSentinel()
    // A replica that has just been linked may get nothing for a second more.
    await group.primary.command('SET', 'mark', 1, 'PX', 60_000)
    await waitUntil(() => group.replica.command('GET', 'mark'), { what: 'the replica follows' })
    const created = create({ name: group.name, sentinels: [...group.addresses] })
    created.on('error', () => {})
    client = created
    await waitUntil(() => created.status === 'ready', { what: 'the client is ready' })
  })
  afterEach(async () => {
    client?.disconnect()
    await group?.stop()
  })

  it('after the death of the primary: every call is allowed or fails within its deadline, few counts are lost', async () => {
    const prefix = keyPrefix()
    const store = redisStore({ client, prefix, deadlineMs: DEADLINE })
    const outcomes = await callWhile(store, KEYS, async () => {
      await sleep(300)
      const old = await group.currentPrimary()
      await old.kill()
      await group.waitForNewPrimary(old)
      await waitUntil(() => store.available?.(), { what: 'the store is back', timeoutMs: 15_000 })
      await sleep(300)
    })
    const counted = await sumOf(prefix)
    console.log({ ...outcomes, counted })
    expect(outcomes.others).toEqual([])
    expect(outcomes.slowest).toBeLessThanOrEqual(DEADLINE + 50)
    expect(counted).toBeGreaterThanOrEqual(outcomes.allowed - LOST)
    expect(counted).toBeLessThanOrEqual(outcomes.allowed + outcomes.failed)
    const patient = redisStore({ client, prefix, deadlineMs: 5000 })
    expect(await callWhile(patient, KEYS, () => sleep(300))).toMatchObject({ failed: 0, others: [] })
  })

  it('B71: that was ordered: the old primary, which lives on as a replica, is left by itself', async () => {
    const prefix = keyPrefix()
    const store = redisStore({ client, prefix, deadlineMs: DEADLINE })
    const outcomes = await callWhile(store, KEYS, async () => {
      await sleep(300)
      await group.failover()
      await group.waitUntilFollowed()
      await sleep(1500)
    })
    expect(outcomes.others).toEqual([])
    expect(outcomes.slowest).toBeLessThanOrEqual(DEADLINE + 50)
    const before = await sumOf(prefix)
    const patient = redisStore({ client, prefix, deadlineMs: 5000 })
    const again = await callWhile(patient, KEYS, () => sleep(300))
    expect(again).toMatchObject({ failed: 0, others: [] })
    // It counts on the new primary.
    expect(await sumOf(prefix)).toBe(before + again.allowed)
  })

  async function sumOf(prefix: string): Promise<number> {
    const used = await Promise.all(KEYS.map((key) => usedOf(client, prefix, key)))
    return used.reduce((sum, count) => sum + count, 0)
  }
})
