import { describe, expect, it } from 'vitest'
import { describeBound } from '../../../../test/laws/bounds.js'
import { clocked, passed } from '../../../../test/laws/clocked.js'
import { describeLaws } from '../../../../test/laws/laws.js'
import { createLimiter } from '../limiter.js'
import { memoryStore } from '../memory/memory-store.js'
import { tokenBucket } from '../model/policy.js'

describeLaws('token bucket')
describeBound('token bucket')

describe('a token bucket', () => {
  it('B22: loses no third of a token between hits', () => {
    const limiter = clocked(tokenBucket({ capacity: 10, per: '30s' }))
    const remaining = Array.from({ length: 11 }, (_, second) => limiter.hit(second * 1000).remaining)
    expect(remaining).toEqual([9, 8, 7, 7, 6, 5, 5, 4, 3, 3, 2])
  })

  it('B25: counts the part of a token that is there in the wait', () => {
    const limiter = clocked(tokenBucket({ capacity: 1, per: '1s' }))
    limiter.hit(0)
    expect(limiter.hit(200)).toMatchObject({ allowed: false, retryAfterMs: 800 })
  })

  it('B26: limits 6000 a second at one instant', () => {
    expect(passed(clocked(tokenBucket({ capacity: 6000, per: '1s' })).hits(6001, 5))).toBe(6000)
  })

  it('B26: refills more than a token a millisecond, up to its capacity', () => {
    const limiter = clocked(tokenBucket({ capacity: 1, refill: 2000, per: '1s' }))
    expect([0, 0, 1].map((now) => limiter.hit(now).allowed)).toEqual([true, false, true])
    const quarters = Array.from({ length: 4000 }, (_, quarter) => limiter.hit(2 + Math.floor(quarter / 4)))
    expect(passed(quarters)).toBe(1000)
  })

  it('B32: waits for one token, and resets when all are there', () => {
    const limiter = clocked(tokenBucket({ capacity: 4, refill: 1, per: '1s' }))
    expect(passed(limiter.hits(4, 0))).toBe(4)
    expect(limiter.hit(0)).toMatchObject({ allowed: false, retryAfterMs: 1000, resetAfterMs: 4000 })
  })

  it('B34: keeps its tokens when the clock goes back', () => {
    const limiter = clocked(tokenBucket({ capacity: 30, per: '1s' }))
    limiter.hits(3, 20_000)
    expect(limiter.hit(9000)).toMatchObject({ allowed: true, remaining: 26, resetAfterMs: 134 })
  })

  it('B34: makes nobody wait longer than one refill when the clock goes forth and back', () => {
    const limiter = clocked(tokenBucket({ capacity: 30, per: '1s' }))
    limiter.hits(30, 0)
    limiter.hits(30, 3_600_000)
    expect(limiter.hit(0, 30)).toMatchObject({ allowed: false, retryAfterMs: 1000 })
    expect(limiter.hit(1000, 30)).toMatchObject({ allowed: true })
  })

  it('B36: gains nothing by a step back, and one burst by a step forth, however often it is asked', () => {
    const limiter = clocked(tokenBucket({ capacity: 4, refill: 2, per: '1s' }))
    const moments = [10_000, 0, 10, 10_000, 10_010, 0, 499, 500]
    expect(moments.map((now) => passed(limiter.hits(5, now)))).toEqual([4, 0, 0, 4, 0, 0, 0, 1])
  })

  it('row 71: has no burst but its capacity, and at most that and a refill in a window', () => {
    const limiter = clocked(tokenBucket({ capacity: 5, per: '1m' }))
    expect([59_900, 60_100, 119_899].map((now) => passed(limiter.hits(6, now)))).toEqual([5, 0, 4])
  })

  it('gives back what was charged, unless it has been full since', () => {
    const limiter = clocked(tokenBucket({ capacity: 5, per: '1s' }))
    const first = limiter.hit(0)
    const second = limiter.hit(250, 3)
    limiter.settle(250, first, 0)
    expect(limiter.peek(250).remaining).toBe(2)
    limiter.settle(250, second, 1)
    expect(limiter.peek(250).remaining).toBe(4)
  })

  it('counts as full from the very moment it filled', () => {
    const limiter = clocked(tokenBucket({ capacity: 5, per: '1s' }))
    limiter.hit(0, 5)
    const atFull = limiter.hit(1000, 2)
    limiter.settle(1000, atFull, 0)
    expect(limiter.peek(1000).remaining).toBe(5)
  })

  it('counts as full no earlier than it filled', () => {
    const limiter = clocked(tokenBucket({ capacity: 1, refill: 2000, per: '1s' }))
    const first = limiter.hit(0)
    limiter.hit(1)
    limiter.settle(1, first, 0)
    expect(limiter.peek(1).remaining).toBe(0)
  })

  it('counts as full from then, also when that is noticed later and the clock goes back in between', () => {
    const limiter = clocked(tokenBucket({ capacity: 5, per: '1s' }))
    limiter.hit(0, 5)
    limiter.hit(2000, 2)
    const atHalfPast = limiter.hit(1500)
    limiter.settle(1500, atHalfPast, 0)
    expect(limiter.peek(1500).remaining).toBe(3)
  })

  it('that is full since something was given back was full before, too', () => {
    const limiter = clocked(tokenBucket({ capacity: 5, per: '1s' }))
    limiter.settle(500, limiter.hit(0, 3), 0)
    limiter.hit(600)
    const before = limiter.hit(550)
    limiter.settle(550, before, 0)
    expect(limiter.peek(550).remaining).toBe(4)
  })

  it('counts as full from when its capacity was lowered to less than it held', async () => {
    let now = 0
    const store = memoryStore({ clock: () => now })
    const limiter = createLimiter({ limit: tokenBucket({ capacity: 10, per: '1m' }), store })
    const first = await limiter.consume('anna', { cost: 2 })
    now = 1
    await limiter.consume('anna', { cost: 3, limit: tokenBucket({ capacity: 5, per: '1m' }) })
    await limiter.refund(first)
    expect(limiter.peek('anna')).toMatchObject({ limit: 10, remaining: 2 })
  })

  it('lets a debt be paid in full by later refill', () => {
    const limiter = clocked(tokenBucket({ capacity: 5, per: '1s' }))
    limiter.settle(0, limiter.hit(0, 5), 7)
    expect(limiter.peek(0)).toMatchObject({ remaining: 0, used: 5, retryAfterMs: 600, resetAfterMs: 1400 })
    expect(limiter.peek(599).allowed).toBe(false)
    expect(limiter.peek(600).allowed).toBe(true)
  })
})
