import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { clocked, passed } from '../../../../test/laws/clocked.js'
import { SUBJECTS } from '../../../../test/laws/subjects.js'
import { createLimiter } from '../limiter.js'
import { fixedWindow, type Policy, slidingLog, slidingWindow, tokenBucket } from '../model/policy.js'

const HOUR = 3_600_000
const MONTH = 30 * 24 * HOUR

/** The name of each kind, and a policy of it. */
function kinds(limit: number, window: number): readonly (readonly [string, Policy])[] {
  return [
    ['fixed window, epoch', fixedWindow({ limit, window })],
    ['fixed window, first hit', fixedWindow({ limit, window, align: 'first-hit' })],
    ['sliding window', slidingWindow({ limit, window })],
    ['sliding log', slidingLog({ limit, window })],
    ['token bucket', tokenBucket({ capacity: limit, per: window })],
  ]
}

describe.each([1, 2, 3, 10, 100])('with a limit of %d', (limit) => {
  it.each(kinds(limit, 60_000))(
    'B17, B27: as many hits pass, and no remainder is below 0: %s',
    (_, policy) => {
      const limiter = clocked(policy)
      const remaining = limiter.hits(limit, 7).map((decision) => [decision.allowed, decision.remaining])
      expect(remaining).toEqual(Array.from({ length: limit }, (_, i) => [true, limit - 1 - i]))
      expect(limiter.hit(7)).toMatchObject({ allowed: false, remaining: 0, used: limit })
    },
  )
})

describe('one limit of each kind', () => {
  it.each(kinds(10, 1000))(
    'B21: a thousand windows later there is no more than the limit: %s',
    (_, policy) => {
      const limiter = clocked(policy)
      limiter.hit(0)
      expect(limiter.hit(1_000_000)).toMatchObject({ remaining: 9, used: 1 })
    },
  )

  it.each(kinds(10, 60_000))(
    'B113: a cost above the limit passes never and takes nothing: %s',
    (_, policy) => {
      const limiter = clocked(policy)
      expect(limiter.hit(0, 5)).toMatchObject({ allowed: true, remaining: 5 })
      const refused = limiter.hit(0, 100)
      expect(refused).toMatchObject({ allowed: false, reason: 'never', remaining: 5, retryAfterMs: null })
      expect(limiter.hit(0, 5)).toMatchObject({ allowed: true, remaining: 0 })
    },
  )

  it.each(kinds(0, 60_000))('B123: a limit of 0 lets nothing pass, ever: %s', (_, policy) => {
    const decision = clocked(policy).hit(0)
    expect(decision).toMatchObject({ allowed: false, reason: 'never', remaining: 0, retryAfterMs: null })
    expect(decision.policies[0]).toMatchObject({ used: 0, resetAfterMs: 0, nextAfterMs: null })
  })

  it.each(kinds(5, 1000))('counts a debt no further than it can count exactly: %s', (_, policy) => {
    const subject = SUBJECTS['memory store'](policy)
    subject.force(0, Number.MAX_SAFE_INTEGER)
    expect(subject.force(0, Number.MAX_SAFE_INTEGER).resetAfterMs).toBeLessThan(Number.MAX_SAFE_INTEGER)
    subject.settle(0, 0, -Number.MAX_SAFE_INTEGER)
    expect(subject.peek(0, 0).remaining).toBe(5)
  })

  it.each(kinds(10, 60_000))('a charge is corrected once: %s', (_, policy) => {
    const limiter = clocked(policy)
    const charged = limiter.hit(0, 6)
    for (let i = 0; i < 3; i++) limiter.settle(0, charged, 4)
    expect(limiter.peek(0).remaining).toBe(6)
  })

  it.each(kinds(10, 60_000))('row 69: of 1000 calls at once 10 pass: %s', async (_, policy) => {
    const limiter = createLimiter({ limit: policy })
    const calls = Array.from({ length: 1000 }, async () => limiter.consume('anna'))
    const decisions = await Promise.all(calls)
    expect(decisions.filter(({ allowed }) => allowed)).toHaveLength(10)
  })
})

describe('row 72: a clock that jumps', () => {
  const waits = new Map([
    ['sliding window', 72_000],
    ['token bucket', 12_000],
  ])

  it.each(kinds(5, 60_000))(
    'back by an hour: nothing is free, and nobody waits for the hour: %s',
    (kind, any) => {
      const limiter = clocked(any)
      limiter.hits(5, 10 * HOUR)
      const wait = waits.get(kind) ?? 60_000
      expect(limiter.hit(9 * HOUR)).toMatchObject({ allowed: false, retryAfterMs: wait })
      expect(limiter.hit(9 * HOUR + wait - 1).allowed).toBe(false)
      expect(limiter.hit(9 * HOUR + wait).allowed).toBe(true)
    },
  )

  it.each(kinds(5, 60_000))('forth by an hour: the limit is free once: %s', (_, any) => {
    const limiter = clocked(any)
    limiter.hits(5, 10 * HOUR)
    expect(passed(limiter.hits(20, 11 * HOUR))).toBe(5)
  })

  it.each(kinds(5, 60_000))('forth and back by an hour: nobody waits for the hour: %s', (kind, any) => {
    const limiter = clocked(any)
    limiter.hits(5, 10 * HOUR)
    limiter.hits(5, 11 * HOUR)
    expect(limiter.hit(10 * HOUR)).toMatchObject({ allowed: false, retryAfterMs: waits.get(kind) ?? 60_000 })
  })
})

describe.each([2 ** 31, MONTH])('row 73: a window of %d ms', (window) => {
  beforeEach(() => {
    vi.useFakeTimers({ now: 0 })
  })
  afterEach(() => {
    vi.useRealTimers()
  })

  it.each(kinds(1, window))('ends when it should, and takes no timer: %s', (kind, policy) => {
    const limiter = createLimiter({ limit: policy })
    const wait = kind === 'sliding window' ? 2 * window : window
    expect(limiter.consume('anna')).toMatchObject({ allowed: true, resetAfterMs: wait })
    vi.setSystemTime(wait - 1)
    expect(limiter.consume('anna')).toMatchObject({ allowed: false, retryAfterMs: 1 })
    vi.setSystemTime(wait)
    expect(limiter.consume('anna')).toMatchObject({ allowed: true })
    expect(vi.getTimerCount()).toBe(0)
  })
})
