import { describe, expect, it } from 'vitest'
import { failingStore } from '../../../test/support/failing-store.js'
import { createLimiter } from './limiter.js'
import type { Limiter, LimiterOptions } from './limiter-types.js'
import type { Decision } from './model/decision.js'
import type { RateLimitEvent } from './model/event.js'
import type { OnStoreFailure } from './store-failure.js'

const silent = { warn: () => {}, error: () => {} }

/** A store that is down, and a limiter over it. */
function downed(onStoreFailure: OnStoreFailure | undefined, options: Partial<LimiterOptions> = {}): Limiter {
  const store = failingStore()
  store.isAvailable = false
  return createLimiter({ limit: '100/1m', store, onStoreFailure, logger: silent, ...options })
}

describe('onEvent', () => {
  const types = (events: readonly RateLimitEvent[]) => events.map(({ type }) => type)

  it('gets every event', async () => {
    const store = failingStore()
    const events: RateLimitEvent[] = []
    const onEvent = (event: RateLimitEvent) => void events.push(event)
    const limiter = createLimiter({ limit: '5/1m', store, logger: silent, onEvent })
    const decision = await limiter.consume('ann')
    store.isAvailable = false
    for (let i = 0; i < 3; i++) await limiter.consume('ann')
    await limiter.refund(decision)
    store.isAvailable = true
    await limiter.consume('ann')
    const failure = 'store-failure'
    expect(types(events)).toEqual(['outage', failure, failure, failure, 'settle-dropped', 'recovered'])
    await limiter.close()
  })

  it.each<[string, () => unknown]>([
    [
      'throws',
      () => {
        throw new Error('of the listener')
      },
    ],
    ['rejects', () => Promise.reject(new Error('of the listener'))],
    ['is no function', 'metrics' as never],
  ])('a listener that %s changes no decision', async (_, broken) => {
    const lines: string[] = []
    const logger = { warn: () => {}, error: (line: string) => void lines.push(line) }
    const onEvent = broken as (event: RateLimitEvent) => void
    const limiter = downed('local', { onEvent, logger, limit: '2/1m' })
    const decisions = [1, 2, 3].map(() => limiter.consume('ann') as Decision)
    expect(decisions.map(({ allowed }) => allowed)).toEqual([true, true, false])
    await Promise.resolve()
    // One of the outage and one of the limiter, not one a decision.
    expect(lines.filter((line) => line.includes('onEvent threw'))).toHaveLength(2)
    await limiter.close()
  })

  it('a logger that throws changes no decision', async () => {
    const fail = () => {
      throw new Error('of the logger')
    }
    const limiter = downed('local', { logger: { warn: fail, error: fail }, limit: '1/1m' })
    expect([limiter.consume('ann'), limiter.consume('ann')]).toMatchObject([
      { allowed: true },
      { allowed: false },
    ])
    await limiter.close()
  })
})
