import { setTimeout as sleep } from 'node:timers/promises'
import { type RedisClient, redisStore } from '@rl/core/redis'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { slotOf } from '../../packages/core/src/redis/subject-key.js'
import { usedOf } from '../fault/counts.js'
import { keyPrefix } from '../support/keys.js'
import { CLUSTER_CLIENTS, type Connect, type OpenClient } from '../support/redis-clients.js'
import { type RedisCluster, startCluster } from '../support/redis-cluster.js'
import { waitUntil } from '../support/wait-until.js'
import { callWhile, type Outcomes } from './outcomes.js'

const KEYS = Array.from({ length: 30 }, (_, i) => `user${i}`)
const DEADLINE = 100
/** What a primary had answered, and its replica had not heard of when it was killed: a turn of its loop or two. */
const LOST = 100

describe.each(Object.entries<Connect>(CLUSTER_CLIENTS))(
  'a cluster whose primary dies, over %s',
  (_, connect) => {
    let cluster: RedisCluster
    let open: OpenClient
    beforeEach(async () => {
      cluster = await startCluster({ replicasEach: 1 })
      open = await connect([cluster.nodes[0]!.port, cluster.nodes[1]!.port])
    })
    afterEach(async () => {
      open?.close()
      await cluster?.stop()
    })

    it('every call is allowed or fails within its deadline, few counts are lost, and it goes on', async () => {
      const prefix = keyPrefix()
      const store = redisStore({ client: open.client, prefix, deadlineMs: DEADLINE })
      const victim = await cluster.primaryOf(slotOf(KEYS[0] as string))
      const backAfter = 0
      const outcomes = await callWhile(store, KEYS, async () => {
        await sleep(300)
        await victim.kill()
        await cluster.waitUntilOk()
        await sleep(1500)
      })
      const counted = await countedOf(open.client, prefix)
      console.log({ ...outcomes, counted, backAfter })
      expectSound(outcomes, counted)
      await waitUntil(() => store.available?.(), { what: 'the store is back', timeoutMs: 15_000 })
      const again = await callWhile(store, KEYS, () => sleep(300))
      expect(again).toMatchObject({ failed: 0, others: [] })
      expect(again.allowed).toBeGreaterThan(0)
    })
  },
)

async function countedOf(client: RedisClient, prefix: string): Promise<number> {
  const used = KEYS.map((key) =>
    waitUntil(async () => usedOf(client, prefix, key), { what: `${key} is counted` }),
  )
  return (await Promise.all(used)).reduce((sum, count) => sum + count, 0)
}

function expectSound({ allowed, failed, others, slowest }: Outcomes, counted: number): void {
  expect(others).toEqual([])
  expect(slowest).toBeLessThanOrEqual(DEADLINE + 50)
  expect(counted).toBeGreaterThanOrEqual(allowed - LOST)
  expect(counted).toBeLessThanOrEqual(allowed + failed)
}
