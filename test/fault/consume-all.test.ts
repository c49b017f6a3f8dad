import { setTimeout as sleep } from 'node:timers/promises'
import {
  type Counted,
  consumeAll,
  createLimiter,
  fixedWindow,
  type Limiter,
  memoryStore,
  type PolicyLike,
  type Store,
  slidingLog,
  slidingWindow,
  tokenBucket,
} from '@rl/core'
import { redisStore } from '@rl/core/redis'
import { describe, expect, it } from 'vitest'
import { Random } from '../equivalence/random.js'
import { keyPrefix } from '../support/keys.js'
import { startMonitor } from '../support/monitor.js'
import { useClient, useProxy, useServer } from '../support/use-redis.js'
import { waitUntil } from '../support/wait-until.js'
import { silent } from './lost-redis.js'

const server = useServer()
const direct = useClient(server)
const window = '365d'

/** Limiters of every kind, with limits so different that some refuse long before others. */
const LIMITS: readonly ((limit: number) => PolicyLike)[] = [
  (limit) => fixedWindow({ limit, window }),
  (limit) => slidingWindow({ limit, window }),
  (limit) => slidingLog({ limit, window }),
  (limit) => tokenBucket({ capacity: limit, per: window }),
  (limit) => fixedWindow({ limit, window, align: 'first-hit' }),
]

function limitersOn(store: Store, limits: readonly number[], onStoreFailure: 'closed' | 'local' = 'closed') {
  return limits.map((limit, i) =>
    createLimiter({ name: `l${i}`, limit: LIMITS[i % 5]!(limit), store, onStoreFailure, logger: silent }),
  )
}

const patient = (prefix: string): Store =>
  redisStore({ client: direct(), prefix, deadlineMs: 10_000, logger: silent })

async function usedBy(store: Store, { name, policies }: Limiter, key = 'k'): Promise<number> {
  const charge = { limiter: name, key, policies, costs: 1 }
  return ((await store.consume([charge], 'peek')) as Counted).used
}

describe('G6: several limiters on one server', () => {
  const proxy = useProxy(server)
  const cut = useClient(proxy)

  it('whatever set of them is asked while connections are cut: all were charged, or none', async () => {
    const random = new Random(11)
    const prefix = keyPrefix()
    const store = redisStore({ client: cut(), prefix, deadlineMs: 2000, logger: silent })
    const limiters = limitersOn(store, [9, 8, 7, 6, 5, 4])
    const calls: {
      readonly key: string
      readonly members: readonly Limiter[]
      readonly how: boolean | 'unknown'
    }[] = []
    const seen = { true: 0, false: 0, unknown: 0 }
    const isEnough = () => Math.min(...Object.values(seen)) >= 20
    let made = 0
    const caller = async (): Promise<void> => {
      while (!isEnough()) {
        const key = `k${made++}`
        const members = random.shuffled(limiters).slice(0, random.int(2, 6))
        const decision = await consumeAll(
          members.map((limiter) => ({ limiter, key, cost: random.pick([1, 5]) })),
        )
        const how = decision.source === 'closed' ? 'unknown' : decision.allowed
        calls.push({ key, members, how })
        seen[`${how}`]++
        if (decision.source === 'closed')
          await waitUntil(() => store.available?.(), { what: 'the client is back' })
      }
    }
    const cutter = async (): Promise<void> => {
      while (!isEnough()) {
        await waitUntil(() => store.available?.(), { what: 'the client is back' })
        await sleep(random.int(1, 40))
        proxy().dropAll()
      }
    }
    await Promise.all([cutter(), ...Array.from({ length: 8 }, caller)])
    const checking = patient(prefix)
    for (const { key, members, how } of calls) {
      const used = await Promise.all(members.map((limiter) => usedBy(checking, limiter, key)))
      const charged = new Set(used.map((count) => count > 0))
      if (how === 'unknown') expect([key, charged.size]).toEqual([key, 1])
      else expect([key, ...charged]).toEqual([key, how])
    }
  })

  it('the reply of one lost: all five were charged; the call itself lost: none', async () => {
    for (const lost of ['reply', 'call'] as const) {
      const prefix = keyPrefix()
      const store = redisStore({ client: cut(), prefix, deadlineMs: 2000, logger: silent })
      const limiters = limitersOn(store, [9, 9, 9, 9, 9])
      await waitUntil(() => store.available?.(), { what: 'the client is back' })
      const items = limiters.map((limiter) => ({ limiter, key: 'k' }))
      expect(await consumeAll(items)).toMatchObject({ allowed: true })
      const done = lost === 'reply' ? proxy().cutAfterRequest(prefix) : proxy().cutBeforeRequest(prefix)
      expect(await consumeAll(items)).toMatchObject({ source: 'closed' })
      await done
      const checking = patient(prefix)
      const used = await Promise.all(limiters.map((limiter) => usedBy(checking, limiter)))
      expect([lost, used]).toEqual([lost, Array(5).fill(lost === 'reply' ? 2 : 1)])
    }
  })

  it('G7: one call, and a settlement of one limiter is one', async () => {
    const limiters = limitersOn(patient(keyPrefix()), [9, 9, 9, 9, 9])
    const items = limiters.map((limiter) => ({ limiter, key: 'k' }))
    await limiters[0]!.settle(await consumeAll(items), 2)
    const monitor = await startMonitor(server())
    const decision = await consumeAll(items)
    const names = async () => (await monitor.seen()).map(([name]) => name?.toLowerCase())
    expect(await names()).toEqual(['evalsha'])
    await limiters[3]!.settle(decision, 3)
    expect(await names()).toEqual(['evalsha', 'evalsha'])
    await limiters[3]!.refund({ counted: false, allowed: true, source: 'open', reason: 'ok' })
    expect(await names()).toHaveLength(2)
    monitor.close()
  })
})

describe('limiters in memory and in Redis', () => {
  it('are one decision: what is refused leaves nothing, what is allowed is charged everywhere', async () => {
    const random = new Random(12)
    const memory = memoryStore()
    const redis = patient(keyPrefix())
    const limits = [40, 35, 45, 30, 50]
    const [inMemory, inRedis] = [limitersOn(memory, limits), limitersOn(redis, limits)]
    const limiters = limits.map((_, i) => (i % 2 === 0 ? inMemory[i]! : inRedis[i]!))
    const sums = new Map(limiters.map((limiter) => [limiter, 0]))
    const answers = { allowed: 0, refused: 0 }
    for (let round = 0; round < 200; round++) {
      const cost = random.int(1, 3)
      const members = random.shuffled(limiters).slice(0, random.int(1, 5))
      const decision = await consumeAll(members.map((limiter) => ({ limiter, key: 'k', cost })))
      answers[decision.allowed ? 'allowed' : 'refused']++
      if (decision.allowed) for (const limiter of members) sums.set(limiter, sums.get(limiter)! + cost)
      if (decision.allowed && random.chance(20)) {
        for (const limiter of members) {
          await limiter.refund(decision)
          sums.set(limiter, sums.get(limiter)! - cost)
        }
      }
    }
    for (const limiter of limiters) {
      expect([limiter.name, await usedBy(limiter.store, limiter)]).toEqual([limiter.name, sums.get(limiter)])
    }
    expect(answers.allowed).toBeGreaterThan(20)
    expect(answers.refused).toBeGreaterThan(20)
  })
})
