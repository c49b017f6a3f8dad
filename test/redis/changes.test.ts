import {
  type Counted,
  createLimiter,
  fixedWindow,
  type Limit,
  type Limiter,
  slidingLog,
  slidingWindow,
  tokenBucket,
} from '@rl/core'
import { redisStore } from '@rl/core/redis'
import { describe, expect, it } from 'vitest'
import { keyPrefix } from '../support/keys.js'
import { useClient, useServer } from '../support/use-redis.js'
import { waitUntil } from '../support/wait-until.js'

const server = useServer()
const client = useClient(server)

/** What each version of an application has: a store and a limiter of its own, of one name. */
function version(prefix: string, limit: Limit): Limiter {
  const store = redisStore({ client: client(), prefix, deadlineMs: 10_000 })
  return createLimiter({ name: 'app', limit, store })
}

async function ask(limiter: Limiter, cost = 1): Promise<Counted> {
  return (await limiter.consume('k', { cost })) as Counted
}

const KINDS = {
  'fixed window': (limit: number, window = '36525d') => fixedWindow({ limit, window }),
  'fixed window from the first hit': (limit: number, window = '36525d') =>
    fixedWindow({ limit, window, align: 'first-hit' }),
  'sliding window': (limit: number, window = '36525d') => slidingWindow({ limit, window }),
  'sliding log': (limit: number, window = '36525d') => slidingLog({ limit, window }),
} as const

describe.each(Object.entries(KINDS))('a changed limit: %s', (_, policy) => {
  it('B128: lowered, it holds at once, and what was counted stays counted', async () => {
    const prefix = keyPrefix()
    expect((await ask(version(prefix, policy(100)))).remaining).toBe(99)
    expect(await ask(version(prefix, policy(10)))).toMatchObject({ limit: 10, remaining: 8 })
    expect(await ask(version(prefix, policy(1)))).toMatchObject({ allowed: false, limit: 1, remaining: 0 })
  })

  it('B129: raised, it gives what was added, as refused calls were not counted', async () => {
    const prefix = keyPrefix()
    const before = version(prefix, policy(10))
    for (let i = 0; i < 50; i++) await ask(before)
    const after = version(prefix, policy(20))
    const allowed: boolean[] = []
    for (let i = 0; i < 11; i++) allowed.push((await ask(after)).allowed)
    expect(allowed).toEqual([...Array.from({ length: 10 }, () => true), false])
  })

  it('another window begins afresh, and nobody is locked out by the old one', async () => {
    const prefix = keyPrefix()
    await ask(version(prefix, policy(5)), 5)
    expect(await ask(version(prefix, policy(5, '36524d')))).toMatchObject({ allowed: true, remaining: 4 })
  })
})

describe('a changed bucket', () => {
  const bucket = (capacity: number, refill = 1) => tokenBucket({ capacity, refill, per: '365d' })

  it('lowered, never holds more than its capacity', async () => {
    const prefix = keyPrefix()
    await ask(version(prefix, bucket(100)))
    expect(await ask(version(prefix, bucket(10)), 2)).toMatchObject({ limit: 10, remaining: 8 })
  })

  it('raised, keeps its level, and fills up from there', async () => {
    const prefix = keyPrefix()
    await ask(version(prefix, bucket(10)), 4)
    expect(await ask(version(prefix, bucket(20)))).toMatchObject({ limit: 20, remaining: 5 })
  })

  it('with another refill keeps its level', async () => {
    const prefix = keyPrefix()
    await ask(version(prefix, bucket(10)), 4)
    expect(await ask(version(prefix, bucket(10, 7)))).toMatchObject({ remaining: 5 })
  })
})

it('another algorithm begins afresh, each time it is changed', async () => {
  const prefix = keyPrefix()
  const kinds = [
    ...Object.values(KINDS).map((policy) => policy(5)),
    tokenBucket({ capacity: 5, per: '365d' }),
  ]
  for (const limit of kinds) expect((await ask(version(prefix, limit), 5)).remaining).toBe(0)
})

describe('two versions of an application with other policies for the same subject', () => {
  const shared = slidingWindow({ limit: 50, window: '36525d' })
  const old = { shared, hourly: slidingLog({ limit: 40, window: '365d' }) }
  const young = { fresh: tokenBucket({ capacity: 30, per: '365d' }), shared }

  it('count what they share together, and do not reset what they do not', async () => {
    const prefix = keyPrefix()
    const [first, second] = [version(prefix, old), version(prefix, young)]
    for (let i = 0; i < 5; i++) {
      await ask(first)
      await ask(second)
    }
    const used = async (limiter: Limiter) =>
      ((await limiter.peek('k')) as Counted).policies.map((policy) => [policy.policy, policy.used])
    expect(await used(first)).toEqual([
      ['shared', 10],
      ['hourly', 5],
    ])
    expect(await used(second)).toEqual([
      ['fresh', 5],
      ['shared', 10],
    ])
  })
})

describe('rows that a version knows nothing of', () => {
  /** Numbers in the value of subject `k`: six a row. */
  const numbers = async (prefix: string) =>
    Number(await server().command('EVAL', COUNT_NUMBERS, 1, `${prefix}:app:{k}`))
  const COUNT_NUMBERS = "return #{cmsgpack.unpack(redis.call('GET', KEYS[1]))}"

  it('are kept until their end', async () => {
    const prefix = keyPrefix()
    await ask(version(prefix, fixedWindow({ limit: 5, window: '300ms', align: 'first-hit' })))
    const other = version(prefix, '100000/1h')
    await ask(other)
    expect(await numbers(prefix)).toBe(12)
    const isAlone = async () => (await ask(other)).allowed && (await numbers(prefix)) === 6
    await waitUntil(isAlone, { what: 'the other row has ended' })
  })

  it('are at most 16 with ours', async () => {
    const prefix = keyPrefix()
    for (let days = 1; days <= 40; days++) await ask(version(prefix, `5/${days}d`))
    expect(await numbers(prefix)).toBe(96)
    expect((await ask(version(prefix, '5/40d'))).remaining).toBe(3)
  })
})
