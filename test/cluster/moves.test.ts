import { setTimeout as sleep } from 'node:timers/promises'
import { redisStore } from '@rl/core/redis'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { slotOf } from '../../packages/core/src/redis/subject-key.js'
import { usedOf } from '../fault/counts.js'
import { keyPrefix } from '../support/keys.js'
import { CLUSTER_CLIENTS, type Connect, type OpenClient } from '../support/redis-clients.js'
import { type RedisCluster, startCluster } from '../support/redis-cluster.js'
import { callWhile } from './outcomes.js'

let cluster: RedisCluster
beforeAll(async () => {
  cluster = await startCluster()
})
afterAll(() => cluster?.stop())

const KEYS = Array.from({ length: 12 }, (_, i) => `user${i}`)
const DEADLINE = 500

describe.each(Object.entries<Connect>(CLUSTER_CLIENTS))(
  'slots that move under load, over %s',
  (_, connect) => {
    let open: OpenClient
    beforeAll(async () => {
      open = await connect([cluster.nodes[0]!.port])
    })
    afterAll(() => open?.close())

    it('every call is allowed or a failure of the store within the deadline, and nothing is lost', async () => {
      const prefix = keyPrefix()
      const store = redisStore({ client: open.client, prefix, deadlineMs: DEADLINE })
      const outcomes = await callWhile(store, KEYS, async () => {
        await sleep(100)
        for (const key of KEYS.slice(0, 6)) {
          const slot = slotOf(key)
          const move = await cluster.startMove(slot, await cluster.otherPrimary(slot))
          // The value and the list of the log are apart for a while: TRYAGAIN, or ASK.
          await sleep(20)
          await move.moveKeys()
          await sleep(20)
          await move.finish()
        }
        await cluster.waitUntilOk()
        await sleep(100)
      })
      expect(outcomes.others).toEqual([])
      expect(outcomes.slowest).toBeLessThanOrEqual(DEADLINE + 50)
      const used = await Promise.all(KEYS.map((key) => usedOf(open.client, prefix, key)))
      const sum = used.reduce((total, count) => total + count, 0)
      console.log({ ...outcomes, counted: sum })
      expect(sum).toBeGreaterThanOrEqual(outcomes.allowed)
      expect(sum).toBeLessThanOrEqual(outcomes.allowed + outcomes.failed)
      expect(outcomes.allowed).toBeGreaterThan(100)
    })
  },
)
