import { setTimeout as sleep } from 'node:timers/promises'
import { createLimiter, slidingLog } from '@rl/core'
import { redisStore } from '@rl/core/redis'
import { afterEach, expect, it } from 'vitest'
import { useClient, useServer } from '../support/use-redis.js'
import { expiresWithin } from './expires-within.js'

const server = useServer()
const client = useClient(server)
const HOUR = 3_600_000
const VALUE = 'rl:l:{ann}'

afterEach(() => server().command('FLUSHALL'))

function consume(cost = 1) {
  const store = redisStore({ client: client(), deadlineMs: 10_000 })
  return createLimiter({ name: 'l', limit: slidingLog({ limit: 1000, window: HOUR }), store }).consume(
    'ann',
    { cost },
  )
}

async function listKey(): Promise<string> {
  const keys = (await server().command('KEYS', `${VALUE}:*`)) as readonly string[]
  return keys[0] as string
}

async function lives(): Promise<readonly [value: number, list: number]> {
  const list = await listKey()
  return [Number(await server().command('PTTL', VALUE)), Number(await server().command('PTTL', list))]
}

it('value and list live for as long as the newest entry counts, and a quarter of the window more', async () => {
  for (let i = 0; i < 5; i++) {
    await consume()
    const [value, list] = await lives()
    expect(Math.min(value, list)).toBeGreaterThan(HOUR - 1000)
    expect(Math.max(value, list)).toBeLessThanOrEqual(1.25 * HOUR)
    await sleep(3)
  }
})

it('an expiry that ends before the window of a charge is set anew', async () => {
  await consume()
  await sleep(3)
  await consume()
  // As the row says: of that long ago.
  const script = `
    local row = { cmsgpack.unpack(redis.call('GET', KEYS[1])) }
    row[6] = row[6] - ${HOUR / 2}
    redis.call('SET', KEYS[1], cmsgpack.pack(unpack(row)), 'PX', ${HOUR / 2})
    redis.call('PEXPIRE', KEYS[2], ${HOUR / 2})`
  await server().command('EVAL', script, '2', VALUE, await listKey())
  await consume()
  const [value, list] = await lives()
  expect(Math.min(value, list)).toBeGreaterThan(HOUR - 1000)
})

it('the expiry stands while it will do, and an entry is added in place', async () => {
  await consume()
  await sleep(3)
  await consume()
  const before = await server().command('PEXPIRETIME', VALUE)
  await server().resetStats()
  const stood: boolean[] = []
  for (let i = 0; i < 30; i++) {
    await sleep(2)
    await consume()
    stood.push((await server().command('PEXPIRETIME', VALUE)) === before)
  }
  const { setrange, rpop } = await server().commandstats()
  // One in 32 sets it anew: that the first ten all do does not happen.
  expect(stood.slice(0, 10)).toContain(true)
  expect(setrange?.calls).toBeGreaterThanOrEqual(20)
  expect(rpop).toBeUndefined()
})

it.each(['value', 'list'] as const)(
  'the %s of a log gets a lost expiry back within some charges',
  async (which) => {
    await consume()
    const key = which === 'value' ? VALUE : await listKey()
    await server().command('PERSIST', key)
    await expiresWithin(600, server(), key, () => consume())
  },
)

it('a log of more than one block is added to without a detour', async () => {
  for (let i = 0; i < 300; i++) {
    await consume()
    await sleep(1)
  }
  expect(Number(await server().command('LLEN', await listKey()))).toBeGreaterThan(514)
  await server().resetStats()
  for (let i = 0; i < 10; i++) {
    await sleep(2)
    await consume()
  }
  const { rpush, rpop } = await server().commandstats()
  expect([rpush?.calls, rpop]).toEqual([10, undefined])
})
