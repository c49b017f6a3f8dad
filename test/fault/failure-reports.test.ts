import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { createLimiter, type Decision } from '@rl/core'
import { Redis } from 'ioredis'
import { Redis as Redis5 } from 'ioredis5'
import { describe, expect, it, onTestFinished } from 'vitest'
import { inRoot } from '../scripts/workspace.mjs'
import { freePort } from '../support/free-port.js'
import { watchStalls } from '../support/stalls.js'
import { startProxy } from '../support/tcp-proxy.js'
import { waitUntil } from '../support/wait-until.js'
import { clientOf, limitedBy, untilAvailable, useMortalServer } from './lost-redis.js'

const server = useMortalServer()

describe.each([
  ['ioredis 6', Redis],
  ['ioredis 5', Redis5 as unknown as typeof Redis],
] as const)('B61: with the defaults of %s, which queue and try again', (_, Client) => {
  const limiterAt = (port: number) => {
    const client = new Client({ port, host: '127.0.0.1' })
    client.on('error', () => {})
    onTestFinished(() => client.disconnect())
    const { options, store } = limitedBy(client, { limit: '5/1h' }, 100)
    return { store, limiter: createLimiter(options) }
  }
  /** The longest of twelve, without the time in which the event loop stood still meanwhile. */
  const longestOf = async (decide: () => unknown): Promise<number> => {
    const stalls = watchStalls()
    onTestFinished(() => stalls.stop())
    let longest = 0
    for (let i = 0; i < 12; i++) {
      const [startedAt, stalled] = [performance.now(), stalls.total()]
      await decide()
      longest = Math.max(longest, performance.now() - startedAt - (stalls.total() - stalled))
    }
    return longest
  }

  it('a closed port is answered for within 150 ms', async () => {
    const { limiter } = limiterAt(await freePort())
    expect(await longestOf(() => limiter.consume('ann'))).toBeLessThanOrEqual(150)
    expect(await limiter.peek('ann')).toMatchObject({ source: 'local', used: 5 })
  })

  it.each(['from the start', 'from then on'])('and so is a Redis that says nothing %s', async (when) => {
    const proxy = await startProxy({ target: server().port })
    onTestFinished(() => proxy.stop())
    if (when === 'from the start') proxy.stall()
    const { limiter, store } = limiterAt(proxy.port)
    if (when === 'from then on') {
      await untilAvailable(store)
      proxy.stall()
    }
    expect(await longestOf(() => limiter.consume('ann'))).toBeLessThanOrEqual(150)
    expect(await limiter.peek('ann')).toMatchObject({ source: 'local', used: 5 })
  })
})

it('B63: after three seconds the store decides again, without a restart, and one event tells of it', async () => {
  const { options, events, store } = limitedBy(clientOf(server().port), { limit: '1000000/1d' }, 1000)
  const limiter = createLimiter(options)
  await untilAvailable(store)
  const decisions: Decision[] = []
  const load = setInterval(() => {
    void Promise.resolve(limiter.consume('ann')).then((decision) => decisions.push(decision))
  }, 10)
  onTestFinished(() => clearInterval(load))
  await server().kill()
  await sleep(3000)
  expect(decisions.at(-1)?.source).toBe('local')
  await server().restart()
  const upAt = performance.now()
  const decidesAgain = () => decisions.at(-1)?.source === 'store'
  await waitUntil(decidesAgain, { what: 'the store decides', timeoutMs: 10_000 })
  expect(performance.now() - upAt).toBeLessThan(3000)
  const counter = async () => Number(((await limiter.peek('ann')) as { used?: number }).used)
  const before = await counter()
  await waitUntil(async () => (await counter()) > before + 5, { what: 'the counter in Redis grows' })
  expect(events.filter(({ type }) => type === 'recovered')).toHaveLength(1)
})

it('B66: a decision that a timeout made is marked, and told of; one of the store is not', async () => {
  const { options, events, store } = limitedBy(
    clientOf(server().port),
    { limit: '5/1h', onStoreFailure: 'open' },
    300,
  )
  const limiter = createLimiter(options)
  await untilAvailable(store)
  const normal = await waitUntil(
    async () => {
      const decision = await limiter.consume('ann')
      return decision.source === 'store' && decision
    },
    { what: 'the store decides' },
  )
  expect(normal).toMatchObject({ counted: true, source: 'store', reason: 'ok' })
  const before = events.length
  server().freeze()
  expect(await limiter.consume('ann')).toEqual({
    counted: false,
    allowed: true,
    source: 'open',
    reason: 'store-failed',
  })
  expect(events.slice(before)).toContainEqual(
    expect.objectContaining({
      type: 'store-failure',
      limiter: 'l',
      decided: 'open',
      error: expect.objectContaining({ code: 'RL_DEADLINE' }),
    }),
  )
})

it('B67: the sixth of five is refused while Redis is down, and the page says what N processes allow', async () => {
  await server().kill()
  const { options } = limitedBy(clientOf(server().port), { limit: '5/60s' })
  const limiter = createLimiter(options)
  const hits: boolean[] = []
  for (let i = 0; i < 6; i++) hits.push((await limiter.consume('ann')).allowed)
  expect(hits).toEqual([true, true, true, true, true, false])
  const page = readFileSync(inRoot('packages/core/when-redis-fails.md'), 'utf8')
  expect(page).toMatch(/N processes allow N times the limit[\s\S]*share/)
})

it('B69: a decision in the tick of the construction is local', () => {
  const limiter = createLimiter(limitedBy(clientOf(server().port), { limit: '5/1h' }).options)
  expect(limiter.consume('ann')).toMatchObject({ source: 'local', remaining: 4 })
})
