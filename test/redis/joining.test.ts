import { type Counted, createLimiter, fixedWindow, memoryStore, type Policy, slidingWindow } from '@rl/core'
import { redisStore } from '@rl/core/redis'
import { afterEach, describe, expect, it } from 'vitest'
import { withClock } from '../equivalence/injected-client.js'
import { injectedScripts } from '../equivalence/injected-scripts.js'
import { Random } from '../equivalence/random.js'
import { useClient, useServer } from '../support/use-redis.js'
import { expiresWithin } from './expires-within.js'

const server = useServer()
const client = useClient(server)

afterEach(() => server().command('FLUSHALL'))

const limit = 1_000_000
const KINDS: readonly Policy[] = [
  fixedWindow({ limit, window: '30d' }),
  fixedWindow({ limit, window: '30d', align: 'first-hit' }),
  slidingWindow({ limit, window: '30d' }),
]

function limiterOf(policy: Policy) {
  return createLimiter({
    name: 'l',
    limit: policy,
    store: redisStore({ client: client(), deadlineMs: 10_000 }),
  })
}

function valueKey(subject: string): string {
  return `rl:l:{${subject}}`
}

async function expiryOf(subject: string): Promise<number> {
  return Number(await server().command('PEXPIRETIME', valueKey(subject)))
}

describe.each(KINDS)('a charge that joins others in their place: $kind $align', (policy) => {
  it('whatever room its count takes', async () => {
    const limiter = limiterOf(policy)
    let used = 0
    // To the last numbers of one, two, three and five bytes, and over them by little and by much.
    for (const cost of [1, 125, 1, 1, 1, 126, 1, 1, 2, 65_276, 1, 1, 1, 3, 1000, 1]) {
      used += cost
      expect(await limiter.consume('ann', { cost })).toMatchObject({ allowed: true, used })
      expect(await limiter.peek('ann', { cost: 0 })).toMatchObject({ used })
    }
  })

  it('takes no more of what is left than there is', async () => {
    const limiter = limiterOf(policy)
    await limiter.consume('ann', { cost: limit - 2 })
    expect(await limiter.consume('ann', { cost: 3 })).toMatchObject({ allowed: false, remaining: 2 })
    expect(await limiter.consume('ann', { cost: 2 })).toMatchObject({ allowed: true, remaining: 0 })
    expect(await limiter.consume('ann')).toMatchObject({ allowed: false, used: limit })
  })

  it('leaves the expiry as it is, mostly', async () => {
    const limiter = limiterOf(policy)
    await limiter.consume('ann')
    const before = await expiryOf('ann')
    await server().resetStats()
    for (let i = 0; i < 40; i++) await limiter.consume('ann')
    const { setrange, set } = await server().commandstats()
    // One in 32 sets it anew: more than ten of 40 do so in one of ten million runs.
    expect(setrange?.calls).toBeGreaterThanOrEqual(30)
    expect((setrange?.calls ?? 0) + (set?.calls ?? 0)).toBe(40)
    expect(await expiryOf('ann')).toBeLessThanOrEqual(before + 2)
  })

  it.each([
    [1, 2],
    [2, 2],
    [1, 1],
    [31, 32],
  ])('gives a lost expiry back within some charges, also of %i and then %i', async (first, cost) => {
    const limiter = limiterOf(policy)
    await limiter.consume('ann', { cost: first })
    const before = await expiryOf('ann')
    await server().command('PERSIST', valueKey('ann'))
    await expiresWithin(600, server(), valueKey('ann'), () => limiter.consume('ann', { cost }))
    // One is set as a time from now, of a clock that may have gone on by a millisecond.
    expect(Math.abs((await expiryOf('ann')) - before)).toBeLessThanOrEqual(2)
  })

  it('takes no more memory than the first', async () => {
    const limiter = limiterOf(policy)
    await limiter.consume('ann')
    const before = await server().command('MEMORY', 'USAGE', valueKey('ann'))
    for (let i = 0; i < 5; i++) await limiter.consume('ann')
    expect(await server().command('MEMORY', 'USAGE', valueKey('ann'))).toBe(before)
  })

  it('from nothing again after it was given back', async () => {
    const limiter = limiterOf(policy)
    const first = await limiter.consume('ann')
    await limiter.refund(first)
    const again = await limiter.consume('ann')
    expect(again).toMatchObject({ used: 1 })
    const ttl = Number(await server().command('PTTL', valueKey('ann')))
    expect(Math.abs(ttl - (again.counted ? (again.resetAfterMs ?? 0) : 0))).toBeLessThan(1000)
  })
})

/** Gives the row another `b` and `c`, and tells what it was. */
const REWRITE = `
local row = { cmsgpack.unpack(redis.call('GET', KEYS[1])) }
local told = { row[3], row[4] }
row[3], row[4] = ARGV[1] + 0, ARGV[2] + 0
redis.call('SET', KEYS[1], cmsgpack.pack(unpack(row)), 'KEEPTTL')
return told`

it.each([
  [200, 100],
  [127, 200],
  [127, 70_000],
  [254, 127],
  [255, 128],
  [65_535, 300],
])('a charge on top of %i leaves the %i of the window before as they are', async (b, c) => {
  const limiter = limiterOf(slidingWindow({ limit, window: '30d' }))
  await limiter.consume('ann')
  const rewritten = (...row: number[]) =>
    server().command('EVAL', REWRITE, '1', valueKey('ann'), ...row.map(String))
  await rewritten(b, c)
  await limiter.consume('ann', { cost: 2 })
  expect(await rewritten(0, 0)).toEqual([b + 2, c])
})

it('of one policy leaves the row of another as it is, also in the first milliseconds of 1970', async () => {
  const random = new Random(7)
  const policies = [fixedWindow({ limit, window: '1s' }), slidingWindow({ limit, window: 150 })]
  const wide = { limit: 'per-call', name: 'l' } as const
  for (let start = 0; start < 60; start++) {
    let now = random.int(0, 2) * start * start
    const clock = () => now
    const counted = withClock(client(), injectedScripts(256), clock)
    const redis = createLimiter({ ...wide, store: redisStore({ client: counted, deadlineMs: 20_000 }) })
    const memory = createLimiter({ ...wide, store: memoryStore({ clock }) })
    for (let i = 0; i < 40; i++) {
      now += random.int(0, 20)
      const options = { limit: random.pick(policies), cost: random.int(1, 60) }
      const { receipt: _, ...expected } = memory.consume(`at ${start}`, options) as Counted
      expect(await redis.consume(`at ${start}`, options)).toMatchObject(expected)
    }
  }
})
