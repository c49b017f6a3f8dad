import { createLimiter, fixedWindow, type Policy, slidingLog, slidingWindow, tokenBucket } from '@rl/core'
import { redisStore } from '@rl/core/redis'
import { afterEach, describe, expect, it } from 'vitest'
import { useClient, useServer } from '../support/use-redis.js'

const server = useServer()
const client = useClient(server)
const HOUR = 3_600_000
const WINDOW = 10_000
const VALUE = 'rl:l:{ann}'
const window = WINDOW

afterEach(() => server().command('FLUSHALL'))

function limiterOf(limit: Policy) {
  const store = redisStore({ client: client(), deadlineMs: 10_000 })
  return createLimiter({ name: 'l', limit, store, onStoreFailure: 'closed' })
}

async function lifeOfValue(): Promise<number> {
  return Number(await server().command('PTTL', VALUE))
}

/** As a clock that is set back leaves a value: all its times, and its expiry, are so much later. */
const SET_BACK = `
local row = { cmsgpack.unpack(redis.call('GET', KEYS[1])) }
for _, i in ipairs({ 2, 4, 5, 6 }) do
  if type(row[i]) == 'number' and row[i] > 10^12 then row[i] = row[i] + ${HOUR} end
end
redis.call('SET', KEYS[1], cmsgpack.pack(unpack(row)), 'PX', redis.call('PTTL', KEYS[1]) + ${HOUR})`

describe('the next charge shortens a life of more than two windows', () => {
  it.each<Policy>([
    fixedWindow({ limit: 1000, window }),
    fixedWindow({ limit: 1000, window, align: 'first-hit' }),
    slidingWindow({ limit: 1000, window }),
    slidingLog({ limit: 1000, window }),
    tokenBucket({ capacity: 1000, per: window }),
  ])('after the clock was set back by an hour: $kind $align', async (policy) => {
    const limiter = limiterOf(policy)
    await limiter.consume('ann', { cost: 10 })
    await server().command('EVAL', SET_BACK, '1', VALUE)
    expect(await lifeOfValue()).toBeGreaterThan(HOUR)
    await limiter.consume('ann')
    expect(await lifeOfValue()).toBeLessThanOrEqual(2 * WINDOW)
  })

  it('after the refill of a bucket was raised', async () => {
    await limiterOf(tokenBucket({ capacity: 1000, refill: 1, per: window })).consume('ann', { cost: 100 })
    expect(await lifeOfValue()).toBeGreaterThan(90 * WINDOW)
    await limiterOf(tokenBucket({ capacity: 1000, refill: 100, per: window })).consume('ann')
    expect(await lifeOfValue()).toBeLessThanOrEqual(2 * WINDOW)
  })
})
