import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import {
  type Counted,
  createLimiter,
  fixedWindow,
  type Policy,
  slidingLog,
  slidingWindow,
  tokenBucket,
} from '@rl/core'
import { connectRedis } from '@rl/core/ioredis'
import { redisStore } from '@rl/core/redis'
import { expect, it, onTestFinished } from 'vitest'
import { SCRIPTS } from '../../packages/core/src/redis/scripts.gen.js'
import { useServer } from '../support/use-redis.js'
import { waitUntil } from '../support/wait-until.js'

const server = useServer()
const README = readFileSync(new URL('../../packages/core/README.md', import.meta.url), 'utf8')
const [, RULES = ''] = /^ACL SETUSER limiter (.*)$/m.exec(README) ?? []

const window = 150
const KINDS: readonly Policy[] = [
  fixedWindow({ limit: 900, window }),
  fixedWindow({ limit: 900, window, align: 'first-hit' }),
  slidingWindow({ limit: 900, window }),
  slidingLog({ limit: 900, window }),
  tokenBucket({ capacity: 900, per: window }),
]

it('the user of the README can do all that a limiter does', async () => {
  await server().command('ACL', 'SETUSER', 'limiter', ...RULES.split(' '))
  const client = connectRedis({
    host: '127.0.0.1',
    port: server().port,
    username: 'limiter',
    password: 'secret',
  })
  onTestFinished(() => client.disconnect())
  await waitUntil(() => client.status === 'ready', { what: 'the client is ready' })
  const store = redisStore({ client, deadlineMs: 10_000 })
  const limiters = [...KINDS.map((limit) => ({ limit })), { limit: Object.fromEntries(KINDS.entries()) }]
  for (const [i, { limit }] of limiters.entries()) {
    const limiter = createLimiter({ name: `l${i}`, limit, store, onStoreFailure: 'closed' })
    const use = async (cost: number) =>
      expect(await limiter.consume('ann', { cost })).toMatchObject({ source: 'store' })
    for (let round = 0; round < 150; round++) {
      await use(round % 40 === 39 ? 901 : 1 + (round % 3))
      if (round % 7 === 0) await sleep(1)
    }
    const decision = (await limiter.charge('ann', { cost: 2 })) as Counted
    await limiter.settle(decision, 5)
    await limiter.refund((await limiter.charge('ann', { cost: 3 })) as Counted)
    await limiter.peek('ann')
    await limiter.reset('ann')
  }
})

it('and is allowed no command that no script calls', () => {
  const called = Object.values(SCRIPTS).flatMap(({ text }) => [
    ...text.matchAll(/\b(?:call\(|on_list\(log, )'(\w+)'/g),
  ])
  const names = new Set(called.map(([, name = '']) => `+${name.toLowerCase()}`))
  // Its scripts are called, a key is reset by the client, which asks whether the server is ready.
  for (const own of ['+evalsha', '+eval', '+del', '+info']) names.add(own)
  expect(new Set(RULES.split(' ').filter((rule) => rule.startsWith('+')))).toEqual(names)
})
