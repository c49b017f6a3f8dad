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
  return createLimiter({ name: 'l', limit: slidingLog({ limit: 10_000, window: HOUR }), store }).consume(
    'ann',
    { cost },
  )
}

/** So many entries that they are a list. */
async function fill(): Promise<void> {
  for (let i = 0; i < 16; i++) {
    await consume()
    await sleep(2)
  }
}

async function listKey(): Promise<string> {
  const keys = (await server().command('KEYS', `${VALUE}:*`)) as readonly string[]
  return keys[0] as string
}

async function lifeOf(key: string): Promise<number> {
  return Number(await server().command('PTTL', key))
}

function expectLife(ms: number): void {
  expect(ms).toBeGreaterThan(HOUR - 1000)
  expect(ms).toBeLessThanOrEqual(1.25 * HOUR)
}

it('value and list live for as long as the newest entry counts, and a quarter of the window more', async () => {
  for (let i = 0; i < 5; i++) {
    await consume()
    expectLife(await lifeOf(VALUE))
    await sleep(3)
  }
  await fill()
  for (let i = 0; i < 5; i++) {
    await consume()
    expectLife(await lifeOf(VALUE))
    expectLife(await lifeOf(await listKey()))
    await sleep(3)
  }
})

it.each([
  ['in the row', false],
  ['in a list', true],
])('an expiry that ends before the window of a charge is set anew: %s', async (_, isList) => {
  await (isList ? fill() : consume())
  await sleep(3)
  const keys = [VALUE, ...(isList ? [await listKey()] : [])]
  // As the row says: of that long ago.
  const script = `
    local row = { cmsgpack.unpack(redis.call('GET', KEYS[1])) }
    row[6] = row[6] - ${HOUR / 2}
    redis.call('SET', KEYS[1], cmsgpack.pack(unpack(row)))
    for _, key in ipairs(KEYS) do redis.call('PEXPIRE', key, ${HOUR / 2}) end`
  await server().command('EVAL', script, keys.length, ...keys)
  await consume()
  for (const key of keys) expectLife(await lifeOf(key))
})

it.each([
  ['in the row', false],
  ['in a list', true],
])('the expiry stands while it will do: %s', async (_, isList) => {
  await (isList ? fill() : consume())
  await sleep(3)
  await consume()
  const before = await server().command('PEXPIRETIME', VALUE)
  const stood: boolean[] = []
  await server().resetStats()
  for (let i = 0; i < 8; i++) {
    await sleep(2)
    await consume()
    stood.push((await server().command('PEXPIRETIME', VALUE)) === before)
  }
  // One in 32 sets it anew: that the first four all do does not happen.
  expect(stood.slice(0, 4)).toContain(true)
  const { setrange, set, rpush, rpop, llen } = await server().commandstats()
  expect((setrange?.calls ?? 0) + (set?.calls ?? 0)).toBe(8)
  expect([rpush?.calls, rpop, llen]).toEqual([isList ? 8 : undefined, undefined, undefined])
  // In place, where it is as long as it was.
  if (isList) expect(setrange?.calls).toBeGreaterThan(3)
})

it.each([
  ['the value of a log', false, false],
  ['the value of a list', true, false],
  ['a list', true, true],
])('%s gets a lost expiry back within some charges', async (_, isList, lost) => {
  await (isList ? fill() : consume())
  const key = lost ? await listKey() : VALUE
  await server().command('PERSIST', key)
  await expiresWithin(600, server(), key, () => consume())
})

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
