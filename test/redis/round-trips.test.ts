import { type Counted, createLimiter, type Limit } from '@rl/core'
import { type RedisClient, redisStore } from '@rl/core/redis'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { casesOf } from '../concurrency/cases.js'
import { keyPrefix } from '../support/keys.js'
import { type Monitor, startMonitor } from '../support/monitor.js'
import { CLIENTS, type Connect } from '../support/redis-clients.js'
import { useClient, useServer } from '../support/use-redis.js'

const server = useServer()
const CASES = Object.entries(casesOf(1000, '1d'))

describe.each(Object.entries<Connect>(CLIENTS))('over %s', (_, connect) => {
  const client = useClient(server, connect)
  let monitor: Monitor
  beforeEach(async () => {
    monitor = await startMonitor(server())
  })
  afterEach(() => monitor.close())

  it.each(CASES)('a decision is one EVALSHA, and nothing else is sent: %s', async (_, limit) => {
    const limiter = limiterOf(client(), limit)
    await limiter.consume('first')
    const before = (await monitor.seen()).length
    await server().resetStats()
    for (let i = 0; i < 20; i++)
      expect(((await limiter.consume(`k${i % 3}`)) as Counted).source).toBe('store')
    const sent = (await monitor.seen()).slice(before).map(([name]) => name?.toLowerCase())
    expect(sent.filter((name) => name !== 'config')).toEqual(Array.from({ length: 20 }, () => 'evalsha'))
    const { evalsha, eval: byText } = await server().commandstats()
    expect([evalsha?.calls, byText]).toEqual([20, undefined])
  })

  it('so is a peek, a refusal, and a settlement', async () => {
    const limiter = limiterOf(client(), '1/1d')
    const decision = await limiter.consume('k')
    await limiter.settle(decision, 1)
    const before = (await monitor.seen()).length
    await limiter.peek('k')
    await limiter.consume('k')
    await limiter.settle(await limiter.consume('other'), 0)
    const sent = (await monitor.seen()).slice(before).map(([name]) => name?.toLowerCase())
    expect(sent).toEqual(['evalsha', 'evalsha', 'evalsha', 'evalsha'])
  })

  it('a reset is one DEL', async () => {
    const limiter = limiterOf(client(), CASES[5]![1])
    const before = (await monitor.seen()).length
    await limiter.reset('k')
    const sent = (await monitor.seen()).slice(before).map(([name]) => name?.toLowerCase())
    expect(sent).toEqual(['del'])
  })
})

function limiterOf(client: RedisClient, limit: Limit) {
  const logger = { warn: () => {}, error: () => {} }
  const store = redisStore({ client, prefix: keyPrefix(), deadlineMs: 10_000, logger })
  return createLimiter({ limit, store, name: 'trips', logger })
}
