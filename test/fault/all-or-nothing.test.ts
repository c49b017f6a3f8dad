import { setTimeout as sleep } from 'node:timers/promises'
import {
  type Charge,
  type Counted,
  createLimiter,
  fixedWindow,
  slidingLog,
  slidingWindow,
  tokenBucket,
} from '@rl/core'
import { redisStore } from '@rl/core/redis'
import { describe, expect, it } from 'vitest'
import { Random } from '../equivalence/random.js'
import { keyPrefix } from '../support/keys.js'
import { CLIENTS, type Connect } from '../support/redis-clients.js'
import { useClient, useProxy, useServer } from '../support/use-redis.js'
import { waitUntil } from '../support/wait-until.js'

const server = useServer()
const window = '365d'
const { policies } = createLimiter({
  limit: {
    a: fixedWindow({ limit: 100_000, window }),
    b: slidingWindow({ limit: 800, window }),
    c: slidingLog({ limit: 100_000, window }),
    d: tokenBucket({ capacity: 100_000, per: window }),
    e: fixedWindow({ limit: 100_000, window, align: 'first-hit' }),
  },
})

describe.each(Object.entries<Connect>(CLIENTS))(
  'connections that are cut at random, over %s',
  (_, connect) => {
    const proxy = useProxy(server)
    const client = useClient(proxy, connect)
    const direct = useClient(server)

    it('five policies are charged all, or none of them', async () => {
      const prefix = keyPrefix()
      const random = new Random(7)
      const store = redisStore({ client: client(), prefix, deadlineMs: 2000 })
      const [sums, told] = [{ allowed: 0, failed: 0 }, { cuts: 0 }]
      const end = performance.now() + 1200
      const caller = async (): Promise<void> => {
        while (performance.now() < end) {
          const cost = random.int(1, 3)
          const charge: Charge = { limiter: 'all', key: 'k', policies, costs: cost }
          try {
            if (((await store.consume([charge], 'ask')) as Counted).allowed) sums.allowed += cost
          } catch {
            sums.failed += cost
            await waitUntil(() => store.available?.(), { what: 'the client is back' })
          }
        }
      }
      const cutter = async (): Promise<void> => {
        while (performance.now() < end) {
          await sleep(random.int(1, 40))
          proxy().dropAll()
          told.cuts++
        }
      }
      await Promise.all([cutter(), ...Array.from({ length: 8 }, caller)])

      const checking = redisStore({ client: direct(), prefix, deadlineMs: 10_000 })
      const peeked = (await checking.consume(
        [{ limiter: 'all', key: 'k', policies, costs: 1 }],
        'peek',
      )) as Counted
      const used = peeked.policies.map((policy) => policy.used)
      expect(new Set(used).size).toBe(1)
      expect(used[0]).toBeGreaterThanOrEqual(sums.allowed)
      expect(used[0]).toBeLessThanOrEqual(sums.allowed + sums.failed)
      expect(told.cuts).toBeGreaterThan(10)
      expect(sums.failed).toBeGreaterThan(0)
    })
  },
)
