import { createLimiter, fixedWindow, type Limit, slidingLog, slidingWindow, tokenBucket } from '@rl/core'
import { redisStore } from '@rl/core/redis'
import { expect, it } from 'vitest'
import { useClient, useServer } from '../support/use-redis.js'

const server = useServer()
const client = useClient(server)

const window = '1h'
/** Bytes that MEMORY USAGE counts for a subject, its name (`rl:login:{203.0.113.9}`) and expiry among them. */
const MOST: readonly (readonly [string, Limit, number])[] = [
  ['a fixed window', fixedWindow({ limit: 100, window }), 104],
  ['one from the first hit', fixedWindow({ limit: 100, window, align: 'first-hit' }), 104],
  ['a sliding window', slidingWindow({ limit: 100, window }), 104],
  ['a bucket', tokenBucket({ capacity: 100, per: window }), 120],
  ['a log of one entry', slidingLog({ limit: 100, window }), 136],
  [
    'three policies',
    {
      a: fixedWindow({ limit: 100, window }),
      b: slidingWindow({ limit: 100, window }),
      c: tokenBucket({ capacity: 9, per: window }),
    },
    168,
  ],
]

it.each(MOST)('%s takes few bytes', async (name, limit, most) => {
  const store = redisStore({ client: client(), deadlineMs: 10_000 })
  const limiter = createLimiter({ name: 'login', limit, store })
  await limiter.consume('203.0.113.9')
  const keys = (await server().command('KEYS', '*')) as readonly string[]
  const sizes = await Promise.all(keys.map((key) => server().command('MEMORY', 'USAGE', key, 'SAMPLES', 0)))
  const bytes = sizes.reduce<number>((sum, size) => sum + Number(size), 0)
  await limiter.reset('203.0.113.9')
  console.log(`${name}: ${bytes} bytes`)
  expect(bytes).toBeLessThanOrEqual(most)
})

it('the mark of a settlement takes few bytes', async () => {
  const store = redisStore({ client: client(), deadlineMs: 10_000 })
  const limiter = createLimiter({ name: 'login', limit: '100/1h', store })
  await limiter.settle(await limiter.consume('203.0.113.9'), 0)
  const marks = (await server().command('KEYS', '*:settled:*')) as readonly string[]
  const bytes = Number(await server().command('MEMORY', 'USAGE', marks[0] as string))
  const ms = Number(await server().command('PTTL', marks[0] as string))
  console.log(`the mark of a settlement: ${bytes} bytes for ${Math.round(ms / 1000)} s`)
  expect(marks).toHaveLength(1)
  expect(bytes).toBeLessThanOrEqual(152)
  expect(ms).toBeLessThanOrEqual(2 * 3_600_000)
})
