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
import { beforeEach, describe, expect, it } from 'vitest'
import { keyPrefix } from '../support/keys.js'
import { useClient, useServer } from '../support/use-redis.js'

const server = useServer()
const client = useClient(server)
let prefix: string
beforeEach(() => {
  prefix = keyPrefix()
})

const KINDS = {
  'fixed window': (limit: number, window: number) => fixedWindow({ limit, window }),
  'fixed window from the first hit': (limit: number, window: number) =>
    fixedWindow({ limit, window, align: 'first-hit' }),
  'sliding window': (limit: number, window: number) => slidingWindow({ limit, window }),
  'sliding log': (limit: number, window: number) => slidingLog({ limit, window }),
  'token bucket': (limit: number, window: number) => tokenBucket({ capacity: limit, per: window }),
} as const

function limiterOf(limit: Limit, name = 'l'): Limiter {
  return createLimiter({ name, limit, store: redisStore({ client: client(), prefix, deadlineMs: 10_000 }) })
}

async function ask(limiter: Limiter, options: Parameters<Limiter['consume']>[1] = {}): Promise<Counted> {
  return (await limiter.consume('k', options)) as Counted
}

async function keys(): Promise<readonly string[]> {
  return (await server().command('KEYS', `${prefix}:*`)) as readonly string[]
}

async function lifetimes(): Promise<readonly number[]> {
  return Promise.all((await keys()).map(async (key) => Number(await server().command('PTTL', key))))
}

describe.each(Object.entries(KINDS))('%s', (_, policy) => {
  it('B51: keys that have lost their expiry get one at the next check, refused as it is', async () => {
    const limiter = limiterOf(policy(1, 60_000))
    await ask(limiter)
    for (const key of await keys()) await server().command('PERSIST', key)
    expect((await ask(limiter)).allowed).toBe(false)
    const left = await lifetimes()
    expect(Math.min(...left)).toBeGreaterThan(0)
    expect(Math.max(...left)).toBeLessThanOrEqual(120_000)
  })

  it('B53: every key that is written has an expiry, of two windows at most', async () => {
    await ask(limiterOf(policy(5, 10_000)))
    const left = await lifetimes()
    expect(left).toHaveLength(1)
    expect(Math.min(...left)).toBeGreaterThan(0)
    expect(Math.max(...left)).toBeLessThanOrEqual(20_000)
  })

  it.each([1500, 600_001, 250])('B55: a window of %d ms', async (window) => {
    expect((await ask(limiterOf(policy(5, window)))).remaining).toBe(4)
    const left = await lifetimes()
    expect(Math.max(...left)).toBeLessThanOrEqual(2 * window)
  })

  it('B58: a wait is told in whole milliseconds, and is over no sooner', async () => {
    const limiter = limiterOf(policy(1, 500))
    await ask(limiter)
    const { allowed, retryAfterMs } = await ask(limiter)
    // The window of a fixed one may have ended between the two.
    if (allowed) return
    expect(retryAfterMs).toBeGreaterThan(0)
    expect(retryAfterMs).toBeLessThanOrEqual(1000)
  })
})

describe('several limits', () => {
  it('B51: the expiry that a value gets back holds its longest row', async () => {
    const limiter = limiterOf({
      short: fixedWindow({ limit: 1, window: '1h' }),
      long: slidingLog({ limit: 9, window: '9d' }),
    })
    await ask(limiter)
    await server().command('PERSIST', `${prefix}:l:{k}`)
    const alone = limiterOf({ short: fixedWindow({ limit: 1, window: '1h' }) })
    expect((await ask(alone)).allowed).toBe(false)
    const left = Number(await server().command('PTTL', `${prefix}:l:{k}`))
    expect(left).toBeGreaterThan(8 * 86_400_000)
  })

  it('B105: what the narrow one refuses does not use up the wide one', async () => {
    const store = redisStore({ client: client(), prefix, deadlineMs: 10_000 })
    const limiter = createLimiter({ name: 'l', limit: 'per-call', store })
    const group = fixedWindow({ limit: 10, window: '36525d' })
    const narrow = { group, special: fixedWindow({ limit: 3, window: '36525d' }) }
    const allowed = async (limit: Limit) => ((await limiter.consume('k', { limit })) as Counted).allowed
    const special: boolean[] = []
    for (let i = 0; i < 5; i++) special.push(await allowed(narrow))
    const others: boolean[] = []
    for (let i = 0; i < 8; i++) others.push(await allowed({ group }))
    expect(special).toEqual([true, true, true, false, false])
    expect(others).toEqual([true, true, true, true, true, true, true, false])
  })

  it('B107: two rules have keys and lifetimes of their own', async () => {
    const month = await ask(limiterOf(fixedWindow({ limit: 10, window: '30d' }), 'a'))
    const hour = await ask(limiterOf(fixedWindow({ limit: 5, window: '1h' }), 'b'))
    expect([month.remaining, hour.remaining]).toEqual([9, 4])
    expect(Number(await server().command('PTTL', `${prefix}:b:{k}`))).toBeLessThanOrEqual(3_600_000)
    expect(await lifetimes()).toHaveLength(2)
  })

  it('B112: the decision names the policy that refused', async () => {
    const limiter = limiterOf({
      burst: tokenBucket({ capacity: 9, per: '36525d' }),
      daily: fixedWindow({ limit: 1, window: '36525d' }),
    })
    await ask(limiter)
    const refused = await ask(limiter)
    expect(refused).toMatchObject({ allowed: false, policy: 'daily', limit: 1 })
    expect(refused.policies.map(({ policy, allowed }) => [policy, allowed])).toEqual([
      ['burst', true],
      ['daily', false],
    ])
  })
})
