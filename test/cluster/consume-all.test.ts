import {
  type ConsumeItem,
  type Counted,
  consumeAll,
  createLimiter,
  fixedWindow,
  type Limiter,
  slidingLog,
  slidingWindow,
  tokenBucket,
} from '@rl/core'
import { redisStore } from '@rl/core/redis'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Random } from '../equivalence/random.js'
import { keyPrefix } from '../support/keys.js'
import { CLUSTER_CLIENTS, type OpenClient } from '../support/redis-clients.js'
import { type RedisCluster, startCluster } from '../support/redis-cluster.js'

let cluster: RedisCluster
let open: OpenClient
beforeAll(async () => {
  cluster = await startCluster()
  open = await CLUSTER_CLIENTS['Cluster of ioredis 6']([cluster.nodes[0]!.port])
})
afterAll(async () => {
  open?.close()
  await cluster?.stop()
})

const window = '365d'

function limiters(): { readonly user: Limiter; readonly model: Limiter; readonly all: Limiter } {
  const store = redisStore({ client: open.client, prefix: keyPrefix(), deadlineMs: 10_000 })
  return {
    user: createLimiter({ name: 'user', limit: fixedWindow({ limit: 40, window }), store }),
    model: createLimiter({ name: 'model', limit: tokenBucket({ capacity: 90, per: window }), store }),
    all: createLimiter({ name: 'all', limit: fixedWindow({ limit: 200, window }), store }),
  }
}

const used = async (limiter: Limiter, key: string) => ((await limiter.peek(key)) as Counted).used

describe('repayment in a cluster', () => {
  it('of every kind is one call a key, in its slot, and once', async () => {
    const store = redisStore({ client: open.client, prefix: keyPrefix(), deadlineMs: 10_000 })
    const { policies } = createLimiter({
      limit: {
        fixed: fixedWindow({ limit: 100, window }),
        sliding: slidingWindow({ limit: 100, window }),
        log: slidingLog({ limit: 100, window }),
        bucket: tokenBucket({ capacity: 100, per: window }),
      },
    })
    const keys = Array.from({ length: 20 }, (_, i) => `{k}${i}`)
    const parts = policies.map(() => [{ agoMs: 3, cost: 4 }])
    for (const id of ['a', 'a', 'b']) {
      for (const key of keys) {
        expect(await store.repay?.([{ limiter: 'l', key, policies, parts }], id)).toBe(0)
      }
    }
    for (const key of keys) {
      const charge = { limiter: 'l', key, policies, costs: 1 }
      const { policies: standing } = (await store.consume([charge], 'peek')) as Counted
      expect(standing.map(({ used }) => used)).toEqual([8, 8, 8, 8])
    }
  })
})

describe('several limiters in a cluster', () => {
  it('never admit more than any of them, and what is refused leaves nothing', async () => {
    const { user, model, all } = limiters()
    const random = new Random(21)
    const users = Array.from({ length: 8 }, (_, i) => `user ${i}`)
    const models = ['small', 'large']
    const sums = new Map<string, number>()
    const add = (name: string, cost: number) => sums.set(name, (sums.get(name) ?? 0) + cost)
    let refused = 0
    const caller = async (): Promise<void> => {
      for (let call = 0; call < 40; call++) {
        const cost = random.int(1, 3)
        const [who, which] = [random.pick(users), random.pick(models)]
        const items: ConsumeItem[] = [
          { limiter: user, key: who, cost },
          { limiter: model, key: which, cost },
          { limiter: all, key: 'all', cost },
        ]
        if (!(await consumeAll(items)).allowed) refused++
        else for (const name of [who, which, 'all']) add(name, cost)
      }
    }
    await Promise.all(Array.from({ length: 16 }, caller))
    for (const name of users) expect([name, await used(user, name)]).toEqual([name, sums.get(name) ?? 0])
    for (const name of models) expect([name, await used(model, name)]).toEqual([name, sums.get(name) ?? 0])
    expect(await used(all, 'all')).toBe(sums.get('all'))
    expect(sums.get('all')).toBeLessThanOrEqual(180)
    expect(sums.get('all')).toBeGreaterThan(150)
    expect(refused).toBeGreaterThan(100)
  })

  it('tell the longest wait of all that refuse', async () => {
    const store = redisStore({ client: open.client, prefix: keyPrefix(), deadlineMs: 10_000 })
    const ask = (name: string, span: string, key: string) => ({
      limiter: createLimiter({
        name,
        limit: fixedWindow({ limit: 1, window: span, align: 'first-hit' }),
        store,
      }),
      key,
    })
    const items = [ask('minute', '1m', 'a'), ask('day', '1d', 'b'), ask('hour', '1h', 'c')]
    for (const { limiter, key } of items) await limiter.consume(key)
    const decision = (await consumeAll(items)) as Counted
    expect(decision).toMatchObject({ allowed: false, receipt: null })
    expect(decision.policies.map(({ limiter }) => limiter)).toEqual(['minute', 'day', 'hour'])
    expect(decision.retryAfterMs).toBeGreaterThan(86_000_000)
  })

  it('are settled each in its slot, by a receipt that went through JSON', async () => {
    const { user, model, all } = limiters()
    const items = [user, model, all].map((limiter) => ({ limiter, key: limiter.name, cost: 5 }))
    const decision = JSON.parse(JSON.stringify(await consumeAll(items))) as Counted
    await user.refund(decision)
    await model.settle(decision, 7)
    const counts = await Promise.all([user, model, all].map((limiter) => used(limiter, limiter.name)))
    expect(counts).toEqual([0, 7, 5])
  })

  it('of one key are one call', async () => {
    const { user, model, all } = limiters()
    const items = [user, model, all].map((limiter) => ({ limiter, key: 'one' }))
    await consumeAll(items)
    await Promise.all(cluster.nodes.map((node) => node.resetStats()))
    expect(await consumeAll(items)).toMatchObject({ policies: [{ used: 2 }, { used: 2 }, { used: 2 }] })
    const stats = await Promise.all(cluster.nodes.map((node) => node.commandstats()))
    expect(stats.reduce((sum, { evalsha }) => sum + (evalsha?.calls ?? 0), 0)).toBe(1)
  })
})
