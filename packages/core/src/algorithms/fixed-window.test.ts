import { describe, expect, it } from 'vitest'
import { describeBound } from '../../../../test/laws/bounds.js'
import { clocked, passed } from '../../../../test/laws/clocked.js'
import { describeLaws } from '../../../../test/laws/laws.js'
import { fixedWindow } from '../model/policy.js'

describeLaws('fixed window, epoch')
describeBound('fixed window, epoch')
describeLaws('fixed window, first hit')
describeBound('fixed window, first hit')

describe('a fixed window aligned to the epoch', () => {
  it('B18: has the same edges for every client', () => {
    const limiter = clocked(fixedWindow({ limit: 1, window: '10s' }))
    limiter.hit(0, 1, 'anna')
    expect(limiter.hit(7000, 1, 'bert').allowed).toBe(true)
    expect(limiter.hit(7100, 1, 'bert')).toMatchObject({ allowed: false, retryAfterMs: 2900 })
    expect(limiter.hit(12_000, 1, 'bert').allowed).toBe(true)
  })

  it('B19, row 71: lets twice the limit pass around an edge', () => {
    const limiter = clocked(fixedWindow({ limit: 5, window: '1m' }))
    expect(passed(limiter.hits(6, 59_900))).toBe(5)
    expect(passed(limiter.hits(6, 60_100))).toBe(5)
  })

  it('B38: counts a hit from before its window in that window', () => {
    const limiter = clocked(fixedWindow({ limit: 5, window: '1m' }))
    limiter.hit(60_000)
    expect(limiter.hit(59_999)).toMatchObject({ allowed: true, remaining: 3, resetAfterMs: 1 })
  })

  it('turns an edge again when the clock went back over it: one limit more, no more', () => {
    const limiter = clocked(fixedWindow({ limit: 5, window: '1m' }))
    const moments = [59_999, 60_000, 59_999, 60_000, 60_001]
    expect(moments.map((now) => passed(limiter.hits(6, now)))).toEqual([5, 5, 0, 5, 0])
  })

  it('gives back in the window of the charge only', () => {
    const limiter = clocked(fixedWindow({ limit: 5, window: '1s' }))
    const [first, second] = [limiter.hit(700, 3), limiter.hit(700, 1)]
    limiter.settle(999, first, 1)
    expect(limiter.peek(999).remaining).toBe(3)
    limiter.hit(1000, 2)
    limiter.settle(1000, second, 0)
    expect(limiter.peek(1000).remaining).toBe(3)
  })

  it('forgives a debt at the end of its window', () => {
    const limiter = clocked(fixedWindow({ limit: 5, window: '1s' }))
    limiter.settle(300, limiter.hit(200, 5), 50)
    expect(limiter.peek(300)).toMatchObject({ remaining: 0, used: 5, retryAfterMs: 700 })
    expect(limiter.peek(1000)).toMatchObject({ remaining: 5, used: 0, retryAfterMs: 0 })
  })
})

describe('a fixed window from the first hit', () => {
  it('B18: has the edges of the client’s own hits', () => {
    const limiter = clocked(fixedWindow({ limit: 1, window: '10s', align: 'first-hit' }))
    limiter.hit(0, 1, 'anna')
    expect(limiter.hit(7000, 1, 'bert').allowed).toBe(true)
    expect(limiter.hit(7100, 1, 'bert')).toMatchObject({ allowed: false, retryAfterMs: 9900 })
    expect(limiter.hit(12_000, 1, 'bert')).toMatchObject({ allowed: false, retryAfterMs: 5000 })
    expect(limiter.hit(17_000, 1, 'bert').allowed).toBe(true)
  })

  it('B19: lets nothing more pass at the turn of the minute', () => {
    const limiter = clocked(fixedWindow({ limit: 5, window: '1m', align: 'first-hit' }))
    expect(passed(limiter.hits(5, 59_000))).toBe(5)
    expect(passed(limiter.hits(5, 60_000))).toBe(0)
  })

  it('B38: counts a hit from before its window in that window, which then starts with it', () => {
    const limiter = clocked(fixedWindow({ limit: 5, window: '1m', align: 'first-hit' }))
    limiter.hit(60_000)
    expect(limiter.hit(59_999)).toMatchObject({ allowed: true, remaining: 3, resetAfterMs: 60_000 })
    expect(limiter.hit(60_000)).toMatchObject({ allowed: true, remaining: 2, resetAfterMs: 59_999 })
  })

  it('gives back in the window of the charge only', () => {
    const limiter = clocked(fixedWindow({ limit: 5, window: '1s', align: 'first-hit' }))
    const [first, second] = [limiter.hit(700, 3), limiter.hit(700, 1)]
    limiter.settle(1699, first, 1)
    expect(limiter.peek(1699).remaining).toBe(3)
    limiter.hit(1700, 2)
    limiter.settle(1700, second, 0)
    expect(limiter.peek(1700).remaining).toBe(3)
  })

  it('opens its window with the first hit after all was given back', () => {
    const limiter = clocked(fixedWindow({ limit: 5, window: '1s', align: 'first-hit' }))
    limiter.settle(300, limiter.hit(0, 2), 0)
    expect(limiter.hit(900)).toMatchObject({ remaining: 4, resetAfterMs: 1000 })
  })
})
