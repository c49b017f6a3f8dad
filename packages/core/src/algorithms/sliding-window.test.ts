import { describe, expect, it } from 'vitest'
import { describeBound } from '../../../../test/laws/bounds.js'
import { clocked, passed } from '../../../../test/laws/clocked.js'
import { describeLaws } from '../../../../test/laws/laws.js'
import { slidingWindow } from '../model/policy.js'

describeLaws('sliding window')
describeBound('sliding window')

describe('a sliding window', () => {
  it('B16: weighs the window before by the part of it still in sight', () => {
    const limiter = clocked('100/10s')
    limiter.hits(50, 20_000)
    const tenth = limiter.hits(10, 31_000).at(-1)
    expect(tenth).toMatchObject({ allowed: true, remaining: 45, resetAfterMs: 19_000 })
    expect(passed(limiter.hits(46, 31_000))).toBe(45)
  })

  it('B17: with a limit of one lets the first hit pass, and the next when it has faded', () => {
    const limiter = clocked('1/10s')
    expect(limiter.hit(0)).toMatchObject({ allowed: true, remaining: 0, resetAfterMs: 20_000 })
    expect(limiter.hit(5000)).toMatchObject({ allowed: false, retryAfterMs: 15_000 })
    expect(limiter.hit(20_000)).toMatchObject({ allowed: true, remaining: 0 })
  })

  it('B19, row 71: lets nothing more pass right after an edge', () => {
    const limiter = clocked('5/1m')
    expect(passed(limiter.hits(5, 59_000))).toBe(5)
    expect([60_000, 60_100, 71_999].map((now) => passed(limiter.hits(5, now)))).toEqual([0, 0, 0])
    expect(passed(limiter.hits(5, 72_000))).toBe(1)
  })

  it('lets up to twice the limit pass in a window, when the hits come where it does not look', () => {
    const limiter = clocked('100/10s')
    expect(passed(limiter.hits(100, 9_999))).toBe(100)
    expect(passed(limiter.hits(100, 19_998))).toBe(99)
  })

  it('never rounds the weight down: at 1 ms before the end of sight nothing is free yet', () => {
    const limiter = clocked('3/1s')
    limiter.hits(3, 0)
    expect([1333, 1334, 1666, 1667, 1999, 2000].map((now) => limiter.peek(now).remaining)).toEqual([
      0, 1, 1, 2, 2, 3,
    ])
  })

  it('counts both windows as the current one when the clock goes back, up to the limit', () => {
    const limiter = clocked('5/1s')
    limiter.hits(2, 1900)
    limiter.hits(2, 2900)
    expect(limiter.hit(500)).toMatchObject({ allowed: true, remaining: 0, resetAfterMs: 1500 })
    expect(limiter.hit(501)).toMatchObject({ allowed: false, retryAfterMs: 699 })
  })

  it('keeps a debt of the current window when the clock goes back', () => {
    const limiter = clocked('5/1s')
    limiter.settle(2000, limiter.hit(2000, 5), 10)
    expect(limiter.hit(999)).toMatchObject({ allowed: false, retryAfterMs: 601 })
  })

  it('gives back in the window of the charge, and in the one after it', () => {
    const limiter = clocked('10/1s')
    const [first, second] = [limiter.hit(700, 4), limiter.hit(700, 4)]
    limiter.settle(900, first, 2)
    expect(limiter.peek(900)).toMatchObject({ remaining: 4, resetAfterMs: 1100 })
    limiter.settle(1500, second, 2)
    expect(limiter.peek(1500)).toMatchObject({ remaining: 8, resetAfterMs: 500 })
  })

  it('gives nothing back after that', () => {
    const limiter = clocked('10/1s')
    const charged = limiter.hit(700, 8)
    limiter.hit(1700, 2)
    limiter.hit(2700, 3)
    limiter.settle(2700, charged, 0)
    expect(limiter.peek(2700).remaining).toBe(6)
  })

  it('lets a debt be paid with one window more', () => {
    const limiter = clocked('5/1s')
    limiter.settle(0, limiter.hit(0, 5), 7)
    expect(limiter.peek(0, 1)).toMatchObject({ remaining: 0, retryAfterMs: 1429, resetAfterMs: 2000 })
    expect(limiter.peek(0, 5)).toMatchObject({ retryAfterMs: 2000 })
  })

  it('stops counting a debt where it could no longer count exactly', () => {
    const limiter = clocked(slidingWindow({ limit: 9_007_199_254_740, window: 1000 }))
    limiter.settle(0, limiter.hit(0, 9_007_199_254_740), Number.MAX_SAFE_INTEGER)
    expect(limiter.peek(0)).toMatchObject({ remaining: 0, retryAfterMs: 1001, resetAfterMs: 2000 })
  })
})
