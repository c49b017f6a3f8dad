import { describe, expect, it } from 'vitest'
import { describeBound } from '../../../../test/laws/bounds.js'
import { clocked, passed } from '../../../../test/laws/clocked.js'
import { describeLaws } from '../../../../test/laws/laws.js'
import { slidingLog } from '../model/policy.js'

describeLaws('sliding log')
describeBound('sliding log')

describe('a sliding log', () => {
  it('B19, row 71: lets the limit pass in any window, also across the turn of the minute', () => {
    const limiter = clocked(slidingLog({ limit: 5, window: '1m' }))
    const moments = [59_900, 60_100, 119_899, 119_900]
    expect(moments.map((now) => passed(limiter.hits(6, now)))).toEqual([5, 0, 0, 5])
  })

  it('B28: does not log refused hits; a hit leaves when its age reaches the window', () => {
    const limiter = clocked(slidingLog({ limit: 2, window: '3s' }))
    const waits = [0, 100, 200, 3000, 3100, 3200].map((now) => limiter.hit(now).retryAfterMs)
    expect(waits).toEqual([0, 0, 2800, 0, 0, 2800])
  })

  it('B30: counts hits of one instant each', () => {
    const limiter = clocked(slidingLog({ limit: 5, window: '1m' }))
    expect(passed(limiter.hits(10, 777))).toBe(5)
    expect(limiter.peek(777)).toMatchObject({ remaining: 0, used: 5, retryAfterMs: 60_000 })
  })

  it('row 70: lets exactly the limit of 1000 hits in one millisecond pass', () => {
    const limiter = clocked(slidingLog({ limit: 100, window: '1s' }))
    expect(passed(limiter.hits(1000, 5))).toBe(100)
  })

  it('waits for as many of the oldest hits as the cost needs', () => {
    const limiter = clocked(slidingLog({ limit: 6, window: '1s' }))
    limiter.hit(0, 1)
    limiter.hit(100, 2)
    limiter.hit(200, 3)
    const waits = [1, 2, 3, 4, 5, 6, 7].map((cost) => limiter.peek(300, cost).retryAfterMs)
    expect(waits).toEqual([700, 800, 800, 900, 900, 900, null])
  })

  it('counts later hits as made now when the clock goes back, once', () => {
    const limiter = clocked(slidingLog({ limit: 5, window: '1s' }))
    for (const now of [1000, 1500, 1900]) limiter.hit(now)
    expect(limiter.hit(1400, 4)).toMatchObject({ allowed: false, remaining: 2, retryAfterMs: 1000 })
    expect(limiter.peek(2399)).toMatchObject({ remaining: 3, resetAfterMs: 1 })
    expect(limiter.peek(2400)).toMatchObject({ remaining: 5, resetAfterMs: 0 })
  })

  it('makes one hit of those that the clock brings together, to give back to', () => {
    const limiter = clocked(slidingLog({ limit: 9, window: '5s' }))
    const first = limiter.hit(1000, 2)
    limiter.hit(2000, 2)
    const second = limiter.hit(1000, 1)
    limiter.settle(1000, first, 0)
    limiter.settle(1000, second, 0)
    expect(limiter.peek(1000)).toMatchObject({ remaining: 7, resetAfterMs: 5000 })
  })

  it('gives back to the hit of that time, and forgets one that weighs nothing', () => {
    const limiter = clocked(slidingLog({ limit: 5, window: '1s' }))
    limiter.hit(0, 2)
    const [first, second] = [limiter.hit(400, 1), limiter.hit(400, 2)]
    limiter.settle(500, first, 0)
    expect(limiter.peek(500)).toMatchObject({ remaining: 1, resetAfterMs: 900 })
    limiter.settle(500, second, 0)
    expect(limiter.peek(500)).toMatchObject({ remaining: 3, resetAfterMs: 500 })
  })

  it('gives nothing back to a hit that has left', () => {
    const limiter = clocked(slidingLog({ limit: 5, window: '1s' }))
    const old = limiter.hit(0, 2)
    limiter.hit(1000, 4)
    limiter.settle(1000, old, 0)
    expect(limiter.peek(1000).remaining).toBe(1)
  })

  it('lets a debt leave with its hit', () => {
    const limiter = clocked(slidingLog({ limit: 5, window: '1s' }))
    limiter.settle(300, limiter.hit(0, 5), 20)
    expect(limiter.peek(1000)).toMatchObject({ remaining: 0, retryAfterMs: 300 })
    expect(limiter.peek(1300)).toMatchObject({ remaining: 5, resetAfterMs: 0 })
  })

  it('counts the live hits exactly when all that it ever counted comes above 2^53', () => {
    const limit = 999_999_999_999_999
    const window = 12_000
    const limiter = clocked(slidingLog({ limit, window }))
    // Each window has twice the hits of the one before, all made before any of those leave: so the list never drops
    // what has left, and its sums go on to grow by the large hit of every window.
    let before = 0
    for (let i = 1; i <= 9; i++) {
      const small = 10 * 2 ** i
      before += small
      limiter.hit(i * window, limit - 20_000)
      for (let ms = 0; ms < small; ms++) limiter.hit((i + 1) * window - before + ms)
    }
    const costs = [limit - 20_000, 1, 1]
    const remaining = costs.map((cost, ms) => limiter.hit(10 * window + ms, cost).remaining)
    expect(remaining).toEqual([14_880, 14_879, 14_878])
  })
})
