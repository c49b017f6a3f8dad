import { describe, expect, it } from 'vitest'
import { Model, type ModelPolicy, type ModelResult } from './model.js'

const SECOND = 1000

type Kind = ModelPolicy['kind']

describe('the oracle answers public bug reports with the numbers worked out by hand', () => {
  it('B16: the sliding window weighs the window before by the part of it still in sight', () => {
    const limiter = using(policy('sliding-window', 100, 10 * SECOND))
    limiter.hits(50, 20_000)
    const tenth = limiter.hits(10, 31_000).at(-1)
    expect(tenth).toMatchObject({ allowed: true, remaining: 45, resetAfterMs: 19_000, nextAfterMs: 200 })
    expect(passed(limiter.hits(46, 31_000))).toBe(45)
  })

  it('B17: a limit of one lets the first hit pass, and the next when the window before has faded', () => {
    const limiter = using(policy('sliding-window', 1, 10 * SECOND))
    expect(limiter.hit(0)).toMatchObject({ allowed: true, remaining: 0, nextAfterMs: 20_000 })
    expect(limiter.hit(5000)).toMatchObject({ allowed: false, retryAfterMs: 15_000 })
    expect(limiter.hit(20_000)).toMatchObject({ allowed: true })
  })

  it.each(kinds(1).concat(kinds(2), kinds(3)))(
    'B17: the first hit on a fresh key passes: $kind, $limit',
    (any) => {
      expect(using(any).hit(7)).toMatchObject({ allowed: true, remaining: any.limit - 1, retryAfterMs: 0 })
    },
  )

  it('B19: sliding kinds let nothing more pass at the turn of the minute, clock-aligned windows do', () => {
    const admitted = kinds(5, 60 * SECOND).map((any) => {
      const limiter = using(any)
      limiter.hits(5, 59_000)
      return [any.kind, 'align' in any ? any.align : '', passed(limiter.hits(5, 60_000))]
    })
    expect(admitted).toEqual([
      ['fixed-window', 'epoch', 5],
      ['fixed-window', 'first-hit', 0],
      ['sliding-window', '', 0],
      ['sliding-log', '', 0],
      ['token-bucket', '', 0],
    ])
  })

  it('B22: a third of a token is never lost between hits', () => {
    const limiter = using(bucket(10, 10, 30 * SECOND))
    const remaining = Array.from({ length: 11 }, (_, second) => limiter.hit(second * SECOND).remaining)
    expect(remaining).toEqual([9, 8, 7, 7, 6, 5, 5, 4, 3, 3, 2])
  })

  it('B25: the wait counts the part of a token that is there already', () => {
    const limiter = using(bucket(1, 1, SECOND))
    limiter.hit(0)
    expect(limiter.hit(200)).toMatchObject({ allowed: false, retryAfterMs: 800, nextAfterMs: 800 })
  })

  it('B26: rates above one a millisecond still limit', () => {
    expect(passed(using(bucket(6000, 6000, SECOND)).hits(6001, 5))).toBe(6000)
    const narrow = using(bucket(1, 2000, SECOND))
    expect([narrow.hit(0), narrow.hit(0), narrow.hit(1)].map(({ allowed }) => allowed)).toEqual([
      true,
      false,
      true,
    ])
    const quarters = Array.from({ length: 4000 }, (_, quarter) => narrow.hit(10 + Math.floor(quarter / 4)))
    expect(passed(quarters)).toBe(1000)
  })

  it('B28: refused hits are not in the log, and a hit leaves it when its age reaches the window', () => {
    const limiter = using(policy('sliding-log', 2, 3 * SECOND))
    const waits = [0, 100, 200, 3000, 3100, 3200].map((now) => limiter.hit(now).retryAfterMs)
    expect(waits).toEqual([0, 0, 2800, 0, 0, 2800])
  })

  it('B32: the wait is for one token, the reset for all of them', () => {
    const limiter = using(bucket(4, 1, SECOND))
    const fifth = limiter.hits(5, 0).at(-1)
    expect(fifth).toMatchObject({ allowed: false, retryAfterMs: 1000, resetAfterMs: 4000 })
  })

  it('B34: a clock that goes back takes no tokens away', () => {
    const limiter = using(bucket(30, 30, SECOND))
    limiter.hits(3, 20_000)
    expect(limiter.hit(9000)).toMatchObject({ allowed: true, remaining: 26, resetAfterMs: 134 })
  })

  it('B34: a clock that goes forth and back makes nobody wait longer than one refill', () => {
    const limiter = using(bucket(30, 30, SECOND))
    limiter.hits(30, 0)
    limiter.hits(30, 3_600_000)
    expect(limiter.hit(0, 30)).toMatchObject({ allowed: false, retryAfterMs: 1000 })
  })

  it.each(kinds(10, 60 * SECOND))(
    'B113: a cost above the limit never passes and takes nothing: $kind',
    (any) => {
      const limiter = using(any)
      expect(limiter.hit(0, 5)).toMatchObject({ allowed: true, remaining: 5 })
      expect(limiter.hit(0, 100)).toMatchObject({ allowed: false, remaining: 5, retryAfterMs: null })
      expect(limiter.hit(0, 5)).toMatchObject({ allowed: true, remaining: 0 })
    },
  )

  it('B115: refused costs drive no bucket below zero', () => {
    const limiter = using(bucket(10, 1, 10 * SECOND))
    expect(limiter.hit(0, 8)).toMatchObject({ allowed: true, remaining: 2 })
    expect(limiter.hit(0, 5)).toMatchObject({ allowed: false, remaining: 2, retryAfterMs: 30_000 })
    expect(limiter.hit(0, 1_000_000)).toMatchObject({ allowed: false, remaining: 2, retryAfterMs: null })
    expect(limiter.hit(0, 2)).toMatchObject({ allowed: true, remaining: 0, resetAfterMs: 100_000 })
  })
})

interface Limiter {
  hit(now: number, cost?: number): ModelResult
  hits(count: number, now: number): readonly ModelResult[]
}

function using(any: ModelPolicy): Limiter {
  const model = new Model()
  const hit = (now: number, cost = 1): ModelResult => {
    const [result] = model.consume('key', [any], [cost], now, 'ask').results
    if (result === undefined) throw new RangeError('no result')
    return result
  }
  return { hit, hits: (count, now) => Array.from({ length: count }, () => hit(now)) }
}

function passed(results: readonly ModelResult[]): number {
  return results.filter(({ allowed }) => allowed).length
}

function kinds(limit: number, windowMs = 10 * SECOND): readonly ModelPolicy[] {
  return [
    { kind: 'fixed-window', name: 'any', limit, windowMs, align: 'epoch' },
    { kind: 'fixed-window', name: 'any', limit, windowMs, align: 'first-hit' },
    policy('sliding-window', limit, windowMs),
    policy('sliding-log', limit, windowMs),
    bucket(limit, limit, windowMs),
  ]
}

function policy(kind: Extract<Kind, `sliding-${string}`>, limit: number, windowMs: number): ModelPolicy {
  return { kind, name: 'any', limit, windowMs }
}

function bucket(limit: number, refill: number, windowMs: number): ModelPolicy {
  return { kind: 'token-bucket', name: 'any', limit, refill, windowMs }
}
