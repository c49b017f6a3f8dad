import {
  type Charge,
  type Counted,
  createLimiter,
  fixedWindow,
  type Policy,
  type Receipt,
  type Store,
  slidingLog,
  slidingWindow,
  tokenBucket,
} from '@rl/core'
import { redisStore } from '@rl/core/redis'
import { beforeEach, describe, expect, it } from 'vitest'
import { Random } from '../equivalence/random.js'
import { keyPrefix } from '../support/keys.js'
import { useClient, useProxy, useServer } from '../support/use-redis.js'
import { waitUntil } from '../support/wait-until.js'

const server = useServer()
const proxy = useProxy(server)
const client = useClient(proxy)
let prefix: string
beforeEach(async () => {
  await server().command('FLUSHALL')
  prefix = keyPrefix()
})

const WINDOW = 60_000
/** Two windows, and a second. The bucket of these fills in one window, and the mark of a settlement lives for two. */
const LONGEST = 2 * WINDOW + 1000

const POOL: readonly Policy[] = createLimiter({
  limit: {
    epoch: fixedWindow({ limit: 50, window: WINDOW }),
    hit: fixedWindow({ limit: 50, window: 1000, align: 'first-hit' }),
    sliding: slidingWindow({ limit: 50, window: WINDOW }),
    log: slidingLog({ limit: 50, window: WINDOW }),
    short: slidingLog({ limit: 5, window: 100 }),
    bucket: tokenBucket({ capacity: 50, refill: 50, per: WINDOW }),
  },
}).policies

/** Every key there is, and how long it lives. */
async function lifetimes(): Promise<ReadonlyMap<string, number>> {
  const keys = (await server().command('KEYS', '*')) as readonly string[]
  const lives = await Promise.all(keys.map((key) => server().command('PTTL', key)))
  return new Map(keys.map((key, i) => [key, Number(lives[i])]))
}

async function expectNoLeaks(): Promise<void> {
  // -2: it ended between the two questions.
  const wrong = [...(await lifetimes())].filter(([, ms]) => ms !== -2 && (ms <= 0 || ms > LONGEST))
  expect(wrong).toEqual([])
}

function connected(store: Store): Promise<true> {
  return waitUntil(() => store.available?.(), { what: 'the client is connected', timeoutMs: 10_000 })
}

describe('no key is without an expiry, and none lives longer than two windows and a second', () => {
  it('after 3,000 random calls', async () => {
    const random = new Random(3)
    const store = redisStore({ client: client(), prefix, deadlineMs: 10_000 })
    const receipts: Receipt[] = []
    for (let round = 0; round < 60; round++) {
      const calls = Array.from({ length: 50 }, async () => {
        const receipt = random.chance(20) ? receipts.pop() : undefined
        if (receipt) return store.settle(receipt, 0)
        const charge = chargeBy(random)
        const decision = (await store.consume([charge], random.pick(['ask', 'ask', 'peek']))) as Counted
        if (decision.receipt) receipts.push(decision.receipt)
      })
      await Promise.all(calls)
    }
    expect((await lifetimes()).size).toBeGreaterThan(20)
    await expectNoLeaks()
  })

  it('after connections were cut at every point of every kind of call', async () => {
    const random = new Random(4)
    const store = redisStore({ client: client(), prefix, deadlineMs: 10_000 })
    const lists = [...POOL.map((policy) => [policy]), POOL.slice(0, 3), POOL]
    for (const policies of lists) {
      for (const cut of ['cutAfterRequest', 'cutBeforeRequest'] as const) {
        await connected(store)
        const charge: Charge = { limiter: 'leak', key: `k${random.int(0, 9)}`, policies, costs: 1 }
        const { receipt } = (await store.consume([charge], 'force')) as Counted
        await cutting(cut, store, async () => store.consume([charge], 'ask'))
        await cutting(cut, store, async () => store.consume([charge], 'force'))
        await cutting(cut, store, async () => store.settle(receipt as Receipt, 7))
        await cutting(cut, store, async () => store.settle({ ...(receipt as Receipt), id: 'again' }, 0))
      }
    }
    await expectNoLeaks()
  })

  async function cutting(
    cut: 'cutAfterRequest' | 'cutBeforeRequest',
    store: Store,
    call: () => Promise<unknown>,
  ): Promise<void> {
    await connected(store)
    const done = proxy()[cut]('evalsha')
    await expect(call()).rejects.toMatchObject({ code: 'RL_STORE' })
    await done
    await connected(store)
  }

  it('but for a bucket in debt, which lives until it is full again, and a quarter of a window', async () => {
    const store = redisStore({ client: client(), prefix, deadlineMs: 10_000 })
    const policies = POOL.filter(({ kind }) => kind === 'token-bucket')
    await store.consume([{ limiter: 'leak', key: 'k', policies, costs: 500 }], 'force')
    const [ms = 0] = [...(await lifetimes()).values()]
    expect(ms).toBeLessThanOrEqual(10.25 * WINDOW)
    expect(ms).toBeGreaterThan(9 * WINDOW)
  })

  it('and all are gone when they say nothing more', async () => {
    const store = redisStore({ client: client(), prefix, deadlineMs: 10_000 })
    const policies = POOL.filter(({ windowMs }) => windowMs <= 1000)
    for (let i = 0; i < 20; i++)
      await store.consume([{ limiter: 'l', key: `k${i}`, policies, costs: 1 }], 'ask')
    expect((await lifetimes()).size).toBe(20)
    await waitUntil(async () => (await lifetimes()).size === 0, { what: 'no key is left', timeoutMs: 3000 })
  })
})

function chargeBy(random: Random): Charge {
  const policies = random.shuffled(POOL).slice(0, random.pick([1, 1, 2, 6]))
  return { limiter: 'leak', key: `k${random.int(0, 15)}`, policies, costs: random.int(0, 4) }
}
