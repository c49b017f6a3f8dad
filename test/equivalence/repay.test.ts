import {
  type Charge,
  type Counted,
  createLimiter,
  fixedWindow,
  type Limit,
  memoryStore,
  type Policy,
  slidingLog,
  slidingWindow,
  tokenBucket,
} from '@rl/core'
import { redisStore } from '@rl/core/redis'
import { expect, it } from 'vitest'
import { unpackIntegers } from '../../packages/core/src/redis/packed.js'
import { SCRIPTS } from '../../packages/core/src/redis/scripts.gen.js'
import { keysOf, repayQuestion } from '../../packages/core/src/redis/wire.js'
import { keyPrefix } from '../support/keys.js'
import { useClient, useServer } from '../support/use-redis.js'
import { withClock } from './injected-client.js'
import { injectedScripts } from './injected-scripts.js'
import { Random } from './random.js'

const redis = useClient(useServer())
const scripts = injectedScripts(2)

const windowMs = 1000
const KINDS: Readonly<Record<string, (limit: number) => Limit>> = {
  'fixed window': (limit) => fixedWindow({ limit, window: windowMs }),
  'fixed window from the first hit': (limit) => fixedWindow({ limit, window: windowMs, align: 'first-hit' }),
  'sliding window': (limit) => slidingWindow({ limit, window: windowMs }),
  'sliding log': (limit) => slidingLog({ limit, window: windowMs }),
  'token bucket': (limit) => tokenBucket({ capacity: limit, refill: 7, per: windowMs }),
}

interface Hit {
  readonly at: number
  readonly cost: number
}

/** Charges some before, pays back the others, and tells how it stands: in Redis, and where all was charged at its time. */
function standings(policies: readonly Policy[]) {
  let now = 0
  const prefix = keyPrefix()
  const client = withClock(redis(), scripts, () => now)
  const inRedis = redisStore({ client, prefix, deadlineMs: 10_000 })
  const wanted = memoryStore({ clock: () => now })
  const charge = (costs: number): readonly Charge[] => [{ limiter: 'l', key: 'k', policies, costs }]
  const [value = '', ...lists] = keysOf(`${prefix}:l:{k}`, policies)
  return {
    async before({ at, cost }: Hit) {
      now = at
      await inRedis.consume(charge(cost), 'force')
      wanted.consume(charge(cost), 'force')
    },
    async repay(hits: readonly Hit[], time: number, id = 'a') {
      for (const { at, cost } of hits) {
        now = at
        wanted.consume(charge(cost), 'force')
      }
      now = time
      const parts = policies.map(() => hits.map(({ at, cost }) => ({ agoMs: now - at, cost })))
      const debts = [{ limiter: 'l', key: 'k', policies, parts }]
      const question = repayQuestion(debts, { notBefore: 0, notAfter: 0 }, (agoMs) => now - agoMs)
      const keys = [`${value}:repaid:${id}`, value, ...lists]
      const text = `#!lua\n${SCRIPTS.repay.text}`
      return unpackIntegers(await client.evalBuffer(text, keys.length, ...keys, question))
    },
    async at(time: number) {
      now = time
      const both = [(await inRedis.consume(charge(1), 'peek')) as Counted, wanted.consume(charge(1), 'peek')]
      return both.map(({ policies }) => policies) as [Counted['policies'], Counted['policies']]
    },
  }
}

function hits(random: Random, count: number, from: number, to: number): readonly Hit[] {
  const times = Array.from({ length: count }, () => random.int(from, to)).sort((a, b) => a - b)
  return times.map((at) => ({ at, cost: random.int(1, 4) }))
}

/** How what is charged compares to what it would be, without and with traffic before. */
const HOW: Readonly<Record<string, readonly [without: string, after: string]>> = {
  'fixed window': ['equal', 'equal'],
  // Where windows began that have ended is not known.
  'fixed window from the first hit': ['equal', 'any'],
  'sliding window': ['equal', 'equal'],
  'sliding log': ['equal until an entry leaves', 'equal until an entry leaves'],
  // What ran over before the last charge is not known.
  'token bucket': ['equal', 'not less'],
}

it.each(Object.keys(KINDS))('%s: repaid, it stands as if each had been charged at its time', async (kind) => {
  const random = new Random(kind.length)
  for (let round = 0; round < 120; round++) {
    const { policies } = createLimiter({ limit: KINDS[kind]!(random.int(3, 12)) })
    const standing = standings(policies)
    const earlier = hits(random, random.pick([0, 2]), 10_000, 10_900)
    for (const hit of earlier) await standing.before(hit)
    const owed = hits(random, random.int(1, 4), 11_000, 12_500)
    const now = random.int(12_500, 13_400)
    expect(await standing.repay(owed, now)).toEqual([-1, now, 0])
    const [[is], [wanted]] = await standing.at(now)
    const where = { kind, round, earlier, owed, now }
    const how = HOW[kind]![earlier.length > 0 ? 1 : 0]
    if (how === 'equal') expect({ ...where, is }).toEqual({ ...where, is: wanted })
    if (how === 'not less') expect([where, is!.remaining <= wanted!.remaining]).toEqual([where, true])
    if (kind === 'sliding log') expect([where, is!.remaining]).toEqual([where, wanted!.remaining])
    // Never more than what was owed.
    const all = [...earlier, ...owed].reduce((sum, { cost }) => sum + cost, 0)
    expect(is!.used).toBeLessThanOrEqual(Math.min(all, is!.limit))
  }
})

it.each<[string, number, number]>([
  ['fixed window', 11_999, 0],
  ['fixed window', 12_000, 3],
  ['fixed window from the first hit', 11_500, 0],
  ['fixed window from the first hit', 11_501, 3],
  ['sliding window', 10_999, 0],
  ['sliding window', 11_000, 2],
  ['sliding window', 12_000, 3],
  ['sliding log', 11_500, 0],
  ['sliding log', 11_501, 3],
  // 3 tokens take 429 ms to come back.
  ['token bucket', 12_071, 0],
  ['token bucket', 12_072, 1],
])('%s: 3 admitted at %i leave %i charged at 12,500', async (kind, at, used) => {
  const { policies } = createLimiter({ limit: KINDS[kind]!(10) })
  const standing = standings(policies)
  await standing.repay([{ at, cost: 3 }], 12_500)
  expect((await standing.at(12_500))[0]).toMatchObject([{ used }])
})

it('one id is one charge', async () => {
  const { policies } = createLimiter({ limit: KINDS['fixed window']!(10) })
  const standing = standings(policies)
  const owed = [{ at: 12_100, cost: 2 }]
  for (const id of ['a', 'a', 'b', 'a']) await standing.repay(owed, 12_500, id)
  expect((await standing.at(12_500))[0]).toMatchObject([{ used: 4 }])
})

it('a log takes what came before its newest entry as of now', async () => {
  const { policies } = createLimiter({ limit: KINDS['sliding log']!(10) })
  const standing = standings(policies)
  await standing.before({ at: 12_400, cost: 1 })
  await standing.repay([{ at: 12_000, cost: 2 }], 12_500)
  expect((await standing.at(13_400))[0]).toMatchObject([{ used: 2 }])
  expect((await standing.at(13_500))[0]).toMatchObject([{ used: 0 }])
})
