import { consumeAll, createLimiter, fixedWindow, type PolicyLike, slidingLog } from '@rl/core'
import { redisStore } from '@rl/core/redis'
import { expect, it } from 'vitest'
import { keyPrefix } from '../support/keys.js'
import { useClient, useServer } from '../support/use-redis.js'

const client = useClient(useServer())

/** More policies in one decision than a function of Lua takes arguments. */
it.each<[string, number, (i: number) => PolicyLike]>([
  ['2,100 counters', 2100, () => fixedWindow({ limit: 2, window: '1h' })],
  [
    '2,100, some of them logs',
    2100,
    (i) => (i % 50 === 0 ? slidingLog : fixedWindow)({ limit: 2, window: '1h' }),
  ],
])('%s of as many subjects are one decision, charged once', async (_, count, limitOf) => {
  const store = redisStore({ client: client(), prefix: keyPrefix(), deadlineMs: 20_000 })
  const items = Array.from({ length: count }, (_item, i) => ({
    limiter: createLimiter({ name: `l${i}`, limit: limitOf(i), store, onStoreFailure: 'closed' }),
    key: 'ann',
  }))
  for (const used of [1, 2]) {
    expect(await consumeAll(items)).toMatchObject({ allowed: true, source: 'store', used })
  }
  expect(await consumeAll(items)).toMatchObject({ allowed: false, source: 'store', used: 2 })
})

it('63 subjects of 16 policies are one decision, charged once', async () => {
  const store = redisStore({ client: client(), prefix: keyPrefix(), deadlineMs: 20_000 })
  const limit = Object.fromEntries(
    Array.from({ length: 16 }, (_, i) => [`p${i}`, fixedWindow({ limit: 2, window: '1h' })]),
  )
  const limiter = createLimiter({ name: 'wide', limit, store, onStoreFailure: 'closed' })
  const items = Array.from({ length: 63 }, (_, i) => ({ limiter, key: `k${i}` }))
  for (const used of [1, 2]) {
    expect(await consumeAll(items)).toMatchObject({ allowed: true, source: 'store', used })
  }
  expect(await consumeAll(items)).toMatchObject({ allowed: false, used: 2 })
})
