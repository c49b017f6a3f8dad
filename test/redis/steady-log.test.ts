import { type Counted, createLimiter, memoryStore, slidingLog } from '@rl/core'
import { redisStore } from '@rl/core/redis'
import { expect, it } from 'vitest'
import { withClock } from '../equivalence/injected-client.js'
import { injectedScripts } from '../equivalence/injected-scripts.js'
import { Random } from '../equivalence/random.js'
import { useClient, useServer } from '../support/use-redis.js'

const server = useServer()
const client = useClient(server)
const policiesOf = (limit: number, window: number) =>
  createLimiter({ limit: slidingLog({ limit, window }) }).policies
const small = policiesOf(12, 100)

/** One key in steady use, for a store in Redis and one in memory that share a clock. */
function steady(key: string, policies = small) {
  const time = { now: 1_700_000_000_000 }
  const clock = () => time.now
  const redis = redisStore({ client: withClock(client(), injectedScripts(256), clock), deadlineMs: 20_000 })
  const memory = memoryStore({ clock })
  const both = async (costs: number) => {
    const charges = [{ limiter: 'steady', key, policies, costs }]
    const counted = (await redis.consume(charges, 'ask')) as Counted
    expect(counted.policies).toEqual(memory.consume(charges, 'ask').policies)
  }
  const lists = () => server().command('KEYS', `rl:steady:{${key}}:*`) as Promise<string[]>
  return { time, both, memory, lists }
}

it.each([1, 2, 3])(
  'a small log that is never empty is decided like one in memory, and stays small: costs up to %d',
  async (most) => {
    const random = new Random(most)
    const { time, both, lists } = steady(`of-${most}`)
    let longest = 0
    for (let i = 0; i < 1500; i++) {
      time.now += random.int(0, 24)
      await both(random.int(1, most))
      if (i % 50 === 0)
        longest = Math.max(longest, Number(await server().command('LLEN', (await lists())[0] as string)))
    }
    expect(longest).toBeGreaterThan(10)
    expect(longest).toBeLessThan(100)
  },
)

it('a log whose list was evicted begins anew', async () => {
  const { time, both, memory, lists } = steady('evicted')
  for (let i = 0; i < 5; i++) {
    await both(1)
    time.now += 10
  }
  await server().command('DEL', ...(await lists()))
  memory.reset({ limiter: 'steady', key: 'evicted', policies: small })
  await both(1)
})

it('a log in use for months counts from a time that is not long ago', async () => {
  const { time, both, lists } = steady('months', policiesOf(60, 86_400_000))
  for (let hour = 0; hour < 24 * 120; hour++) {
    time.now += 3_600_000
    await both(1)
  }
  const start = await server().command('LINDEX', (await lists())[0] as string, 0)
  expect(time.now - Number(start)).toBeLessThan(60 * 86_400_000)
})
