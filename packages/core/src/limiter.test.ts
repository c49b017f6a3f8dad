import { describe, expect, it } from 'vitest'
import { thrown } from '../../../test/support/thrown.js'
import { createLimiter } from './limiter.js'
import type { Limiter, LimiterOptions } from './limiter-types.js'
import { type MemoryStore, memoryStore } from './memory/memory-store.js'
import { fixedWindow, tokenBucket } from './model/policy.js'

/** A limiter whose time stands still at 0. */
function at0(limit: LimiterOptions['limit']): Limiter & { readonly store: MemoryStore } {
  const store = memoryStore({ clock: () => 0 })
  return createLimiter({ limit, store }) as Limiter & { readonly store: MemoryStore }
}

describe('consume', () => {
  it('answers at once with a memory store: no promise', () => {
    expect(at0(fixedWindow({ limit: 5, window: '1m' })).consume('a')).toMatchObject({
      counted: true,
      allowed: true,
      source: 'store',
      reason: 'ok',
      policy: '1m',
      cost: 1,
      limit: 5,
      remaining: 4,
      used: 1,
      resetAfterMs: 60_000,
      retryAfterMs: 0,
    })
  })

  it('B131: counts in memory where no store is named', () => {
    const limiter = createLimiter({ limit: '1/1h' })
    expect(limiter.consume('a')).toMatchObject({ allowed: true, source: 'store' })
    expect(limiter.consume('a')).toMatchObject({ allowed: false })
  })

  it.each([
    ['row 81, B123: a limit of 0', '0/1m'],
    ['B123: a bucket of 0', tokenBucket({ capacity: 0, per: '1m' })],
  ])('%s refuses everything, for ever', (_, limit) => {
    expect(at0(limit).consume('a')).toMatchObject({
      allowed: false,
      reason: 'never',
      remaining: 0,
      used: 0,
      resetAfterMs: 0,
      retryAfterMs: null,
      receipt: null,
    })
  })

  it('B133: six a minute are six at once, and one more every ten seconds', () => {
    const limiter = at0(tokenBucket({ capacity: 6, per: '1m' }))
    const answers = Array.from({ length: 7 }, () => limiter.consume('a'))
    expect(answers.map((decision) => decision && 'remaining' in decision && decision.remaining)).toEqual([
      5, 4, 3, 2, 1, 0, 0,
    ])
    expect(answers[6]).toMatchObject({ allowed: false, retryAfterMs: 10_000 })
  })

  it('B112: names the policy that refused, with its own limit and wait', async () => {
    const limiter = at0({ burst: '20/1s', daily: fixedWindow({ limit: 2, window: '1d' }) })
    await limiter.consume('a', { cost: { burst: 1, daily: 2 } })
    expect(limiter.consume('a')).toMatchObject({
      allowed: false,
      policy: 'daily',
      limit: 2,
      retryAfterMs: 86_400_000,
    })
  })

  it('B109: shows the policy that is closest to refusing', () => {
    const limiter = at0({ app: '20/1m', route: '2/1m' })
    expect([1, 2, 3].map(() => limiter.consume('a'))).toMatchObject([
      { allowed: true, policy: 'route', limit: 2, remaining: 1 },
      { allowed: true, policy: 'route', limit: 2, remaining: 0 },
      { allowed: false, policy: 'route', limit: 2, remaining: 0 },
    ])
  })

  it('takes integers and bigints: 1, 1n and "1" are one key', () => {
    const limiter = at0('3/1m')
    expect([1, 1n, '1'].map((key) => limiter.consume(key))).toMatchObject([
      { remaining: 2 },
      { remaining: 1 },
      { remaining: 0 },
    ])
  })

  it.each([
    ['row 34, B08', undefined, 'RL_KEY'],
    ['B82', '', 'RL_KEY'],
  ])('%s: refuses %o as a key and counts nothing', (_, key, code) => {
    const limiter = at0('1/1m')
    expect(thrown(() => limiter.consume(key as string))).toMatchObject({ code })
    expect(limiter.store.size).toBe(0)
  })

  it.each([
    ['row 83', -100],
    ['row 83', 'abc'],
    ['row 82', Number.NaN],
    ['row 82', null],
    ['a policy that is not there', { other: 1 }],
  ])('%s: refuses %o as a cost and counts nothing', (_, cost) => {
    const limiter = at0('1/1m')
    expect(thrown(() => limiter.consume('a', { cost: cost as number }))).toMatchObject({ code: 'RL_COST' })
    expect(limiter.store.size).toBe(0)
  })

  it('row 83: a cost of 1e9 from a header is refused and charges nothing', () => {
    const limiter = at0('3/1m')
    expect(limiter.consume('a', { cost: 1e9 })).toMatchObject({ allowed: false, retryAfterMs: null })
    expect(limiter.peek('a')).toMatchObject({ remaining: 3 })
  })
})
