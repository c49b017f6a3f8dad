import { type Counted, createLimiter, type Mode, memoryStore, slidingLog } from '@rl/core'
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

/** One key in steady use, for a store in Redis and one in memory that share a clock. So many entries may stand in its row. */
function steady(key: string, { policies = small, kept = 12 } = {}) {
  const time = { now: 1_700_000_000_000 }
  const clock = () => time.now
  const redis = redisStore({
    client: withClock(client(), injectedScripts(256, kept), clock),
    deadlineMs: 20_000,
  })
  const memory = memoryStore({ clock })
  const both = async (costs: number, { mode = 'ask' as Mode, as = policies } = {}) => {
    const charges = [{ limiter: 'steady', key, policies: as, costs }]
    const counted = (await redis.consume(charges, mode)) as Counted
    expect(counted.policies).toEqual(memory.consume(charges, mode).policies)
  }
  const lists = () => server().command('KEYS', `rl:steady:{${key}}:*`) as Promise<string[]>
  const size = async () => Number(await server().command('STRLEN', `rl:steady:{${key}}`))
  return { time, both, memory, lists, size }
}

it.each([1, 2, 3])(
  'a small log that is never empty is decided like one in memory, and stays small: costs up to %d',
  async (most) => {
    const random = new Random(most)
    const { time, both, lists } = steady(`of-${most}`, { kept: 0 })
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

it.each([1, 2, 3])('one of few entries stands in its row, and has no list: costs up to %d', async (most) => {
  const random = new Random(most)
  const { time, both, lists, size } = steady(`kept-${most}`)
  let largest = 0
  for (let i = 0; i < 1500; i++) {
    time.now += random.int(0, 24)
    await both(random.int(1, most))
    largest = Math.max(largest, await size())
  }
  expect(await lists()).toEqual([])
  expect(largest).toBeLessThan(100)
})

it.each([0, 3, 12])(
  'forced above its limit, which is lowered and raised, with %i in its row at most',
  async (kept) => {
    const random = new Random(kept)
    const lower = policiesOf(5, 100)
    const { time, both } = steady(`forced-${kept}`, { kept })
    for (let i = 0; i < 3000; i++) {
      time.now += random.pick([0, 1, random.int(0, 30), -random.int(0, 20)])
      const mode = random.pick<Mode>(['ask', 'ask', 'ask', 'peek', 'force'])
      await both(random.int(0, 6), { mode, as: random.pick([small, small, lower]) })
    }
  },
)

it('one that has grown is a list, until few of it are left, or none', async () => {
  const { time, both, lists } = steady('grown', { kept: 4 })
  const after = async (charges: number, apart: number) => {
    for (let i = 0; i < charges; i++) {
      time.now += apart
      await both(1)
    }
    return (await lists()).length
  }
  expect(await after(4, 10)).toBe(0)
  expect(await after(1, 10)).toBe(1)
  expect(await after(20, 40)).toBe(1)
  expect(await after(4, 60)).toBe(0)
  expect(await after(20, 5)).toBe(1)
  // All has expired: what is left of the list has an expiry, and says nothing.
  expect(await after(1, 101)).toBe(1)
  await server().command('DEL', ...(await lists()))
  expect(await after(3, 10)).toBe(0)
})

it('a list of which the first are dead, brought together by a clock set back, comes into the row as it stands', async () => {
  const { time, both, lists } = steady('set-back', { kept: 4 })
  for (let i = 0; i < 6; i++) {
    await both(1)
    time.now += 10
  }
  time.now += 65
  await both(1)
  expect(await lists()).toHaveLength(1)
  time.now -= 1000
  await both(12)
  expect(await lists()).toEqual([])
  for (const ms of [0, 5]) {
    time.now += ms
    await both(1)
    await both(12, { mode: 'peek' })
  }
})

it('a log whose list was evicted begins anew', async () => {
  const { time, both, memory, lists } = steady('evicted', { kept: 0 })
  for (let i = 0; i < 5; i++) {
    await both(1)
    time.now += 10
  }
  await server().command('DEL', ...(await lists()))
  memory.reset({ limiter: 'steady', key: 'evicted', policies: small })
  await both(1)
})

it('a log in use for months counts from a time that is not long ago', async () => {
  const { time, both, lists } = steady('months', { policies: policiesOf(60, 86_400_000) })
  for (let hour = 0; hour < 24 * 120; hour++) {
    time.now += 3_600_000
    await both(1)
  }
  const start = await server().command('LINDEX', (await lists())[0] as string, 0)
  expect(time.now - Number(start)).toBeLessThan(60 * 86_400_000)
})

it('and so does one that stands in its row', async () => {
  const { time, both, lists, size } = steady('few-months', { policies: policiesOf(60, 36_000_000) })
  for (let hour = 0; hour < 24 * 120; hour++) {
    time.now += 3_600_000
    await both(1)
  }
  expect(await lists()).toEqual([])
  expect(await size()).toBeLessThan(120)
})
