import { setTimeout as sleep } from 'node:timers/promises'
import { createLimiter, type RateLimitEvent } from '@rl/core'
import { connectRedis } from '@rl/core/ioredis'
import { redisStore } from '@rl/core/redis'
import { expect, it } from 'vitest'
import { measureLoopDelay } from '../support/loop-delay.js'
import { startRedis } from '../support/redis-server.js'
import { waitUntil } from '../support/wait-until.js'

const TIMES = 50
const EVERY_MS = 5
/** A probe interval and a second; a handshake, and the first call. */
const BACK_MS = 1500 + 100

it('G13: Redis killed and started fifty times under load: the store decides again in time, every time', async () => {
  const redis = await startRedis()
  const client = connectRedis(redis.url)
  const store = redisStore({ client })
  const counts: Record<string, number> = { started: 0, settled: 0 }
  let storedAt = 0
  const onEvent = ({ type }: RateLimitEvent) => {
    counts[type] = (counts[type] ?? 0) + 1
  }
  const lines: string[] = []
  const add = (line: string) => void lines.push(line)
  const logger = { warn: add, error: add }
  const limiter = createLimiter({ name: 'restarts', limit: '1000000/1d', store, onEvent, logger })
  const decide = async () => {
    counts.started!++
    const { source } = await limiter.consume('ann')
    counts.settled!++
    if (source === 'store') storedAt = performance.now()
  }
  const load = setInterval(() => void decide(), EVERY_MS)
  const backMs: number[] = []

  const { maxDelayMs } = await measureLoopDelay(async () => {
    for (let time = 0; time < TIMES; time++) {
      await redis.kill()
      // Shorter and longer than a connection takes, and than a probe is apart.
      await sleep((time % 10) * 150)
      await redis.restart()
      const endedAt = performance.now()
      await waitUntil(() => storedAt > endedAt, {
        what: 'the store decides',
        timeoutMs: 20_000,
        intervalMs: 1,
      })
      backMs.push(storedAt - endedAt)
      await sleep(200)
    }
  })
  clearInterval(load)
  await waitUntil(() => counts.settled === counts.started, { what: 'all is decided' })
  expect(Math.max(...backMs)).toBeLessThanOrEqual(BACK_MS + maxDelayMs)
  expect(await limiter.peek('ann')).toMatchObject({ source: 'store' })
  expect(store.available?.()).toBe(true)
  console.log({ longestBackMs: Math.round(Math.max(...backMs)), maxDelayMs, ...counts, lines: lines.length })

  await limiter.close()
  await store.close()
  client.disconnect()
  await redis.stop()
})
