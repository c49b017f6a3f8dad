import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { ensureBuilt } from '../scripts/setup.mjs'
import { waitUntil } from '../support/wait-until.js'
import { clientOf, meterOf, QUESTION, type Setup, startSetup } from './llm-gateway.js'
import { countRun } from './llm-gateway-run.js'

let setup: Setup
beforeAll(async () => {
  ensureBuilt()
  setup = await startSetup(3)
}, 180_000)
afterAll(() => setup.stop())

it.each([1, 2, 3])(
  '1,000 requests with random failures, seed %i: tokens counted are tokens reported',
  async (seed) => {
    const user = `random-${seed}`
    await setup.seed(user)
    const meter = await meterOf(setup.redis, user)
    const { expected, outcomes } = await countRun(setup, { user, requests: 1000, concurrency: 20, seed })
    await waitUntil(() => setup.lines(user).length === 1000, { what: 'all are settled' })
    expect(await meter.read()).toEqual(expected)
    expect(Object.keys(outcomes).length).toBe(8)
    await meter.close()
  },
)

it('200 callers for 15 seconds on 20 a second: 20 in every whole second of the server, and never more', async () => {
  await setup.seed('crowd', 999_999_999, 999_999_999)
  const clients = setup.gateways.map((each) => clientOf(each, 'crowd', { 'config-profile': 'rps-20' }))
  const end = performance.now() + 15_000
  const caller = async (n: number) => {
    for (let turn = n; performance.now() < end; turn++)
      await clients[turn % 3]?.chat.completions
        .create(QUESTION)
        .catch(({ status }) => expect(status).toBe(429))
  }
  await Promise.all(Array.from({ length: 200 }, (_, n) => caller(n)))
  const perSecond = new Map<number, number>()
  for (const { end, chargedAt = 0 } of setup.lines('crowd')) {
    const second = Math.floor(chargedAt / 1000)
    if (end === 'complete') perSecond.set(second, (perSecond.get(second) ?? 0) + 1)
  }
  const counts = [...perSecond.entries()].sort(([a], [b]) => a - b).map(([, count]) => count)
  expect(Math.max(...counts)).toBe(20)
  expect(counts.slice(1, -1)).toEqual(Array.from({ length: counts.length - 2 }, () => 20))
  expect(counts.length).toBeGreaterThanOrEqual(15)
})

it('Redis frozen, killed and started again under load: users are answered or limited, never failed', async () => {
  const own = await startSetup(2, '--deadline-ms', '50')
  await own.seed('ann')
  // The record outlives a restart, as it would where users are kept.
  await own.redis.command('SAVE')
  const clients = own.gateways.map((each) => clientOf(each, 'ann', { 'config-profile': 'rps-20' }))
  // Seen by both, as users are that come often.
  for (const client of clients) await client.models.list()
  const statuses = new Map<number, number>()
  let isOver = false
  const caller = async (n: number) => {
    for (let turn = n; !isOver; turn++) {
      const status = await clients[turn % 2]?.chat.completions.create(QUESTION).then(
        () => 200,
        (error) => error.status ?? 0,
      )
      statuses.set(status, (statuses.get(status) ?? 0) + 1)
    }
  }
  const callers = Promise.all(Array.from({ length: 20 }, (_, n) => caller(n)))
  for (let round = 0; round < 3; round++) {
    await sleep(1000)
    own.redis.freeze()
    await sleep(2000)
    own.redis.thaw()
    await sleep(1000)
    await own.redis.kill()
    await sleep(2000)
    await own.redis.restart()
    await sleep(2000)
  }
  isOver = true
  await callers
  expect([...statuses.keys()].sort()).toEqual([200, 429])
  await own.stop()
})
