import { type Charge, type Counted, createLimiter, type Limit, slidingLog } from '@rl/core'
import { redisStore } from '@rl/core/redis'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { keyPrefix } from '../support/keys.js'
import { CLIENTS, type OpenClient } from '../support/redis-clients.js'
import { type RedisServer, startRedis } from '../support/redis-server.js'
import { casesOf } from './cases.js'

let server: RedisServer
let connections: readonly OpenClient[]
beforeAll(async () => {
  server = await startRedis()
  connections = await Promise.all(Array.from({ length: 10 }, () => CLIENTS['ioredis 6']([server.port])))
})
afterAll(async () => {
  for (const { close } of connections ?? []) close()
  await server?.stop()
})

/** Calls that start together, each over a connection and a store of its own. */
async function askTogether(limit: Limit, costs: readonly number[]): Promise<readonly Counted[]> {
  const prefix = keyPrefix()
  const { policies } = createLimiter({ limit })
  const stores = connections.map(({ client }) => redisStore({ client, prefix, deadlineMs: 10_000 }))
  const charge = (cost: number): Charge => ({ limiter: 'l', key: 'k', policies, costs: cost })
  // Every store has to know the server's time, or its first call would be a second later than the others.
  await Promise.all(stores.map((store) => store.consume([{ ...charge(0), key: 'other' }], 'peek')))
  const calls = costs.map((cost, i) => stores[i % stores.length]!.consume([charge(cost)], 'ask'))
  return (await Promise.all(calls)) as readonly Counted[]
}

function remainingOf(decisions: readonly Counted[]): readonly number[] {
  return decisions.flatMap(({ allowed, remaining }) => (allowed ? [remaining] : [])).sort((a, b) => b - a)
}

describe('calls at the same time, over ten connections', () => {
  it.each(Object.entries(casesOf(5, '36525d')))(
    'B72: 10 on a limit of 5, of which 5 pass: %s',
    async (_, limit) => {
      const decisions = await askTogether(
        limit,
        Array.from({ length: 10 }, () => 1),
      )
      expect(remainingOf(decisions)).toEqual([4, 3, 2, 1, 0])
    },
  )

  it.each(Object.entries(casesOf(100, '36525d')))(
    'B74: costs of 58, 80 and 175 on a limit of 100: one of the first two passes: %s',
    async (_, limit) => {
      const decisions = await askTogether(limit, [58, 80, 175, 175, 175])
      expect([[42], [20]]).toContainEqual(remainingOf(decisions))
    },
  )

  it('B75: 10 on a log of 5, 50 times: 5 pass, and 5 are counted', async () => {
    const limit = slidingLog({ limit: 5, window: '60s' })
    const rounds = Array.from({ length: 50 }, () => askTogether(limit, [1, 1, 1, 1, 1, 1, 1, 1, 1, 1]))
    const used = (await Promise.all(rounds)).map((decisions) => [
      remainingOf(decisions).length,
      Math.max(...decisions.map((decision) => decision.used)),
    ])
    expect(used).toEqual(Array.from({ length: 50 }, () => [5, 5]))
  })
})
