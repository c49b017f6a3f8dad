import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { thrown } from '../../../../test/support/thrown.js'
import type { Charge } from '../model/charge.js'
import type { PolicyResult } from '../model/decision.js'
import { toPolicies } from '../model/limit.js'
import { type Reply, readReply, readSettled } from './reply.js'

const one: readonly Charge[] = [{ limiter: 'api', key: 'k', policies: toPolicies('10/1m'), costs: 2 }]
const two: readonly Charge[] = [
  { limiter: 'api', key: 'k', policies: toPolicies({ short: '10/1s', long: '99/1d' }), costs: 1 },
]

describe('a reply', () => {
  it('that allows', () => {
    expect(readReply([7000, 1, 0, 0, 2, 0], one)).toEqual({
      late: false,
      now: 7000,
      allowed: true,
      results: [
        {
          limiter: 'api',
          policy: '1m',
          kind: 'sliding-window',
          allowed: true,
          cost: 2,
          limit: 10,
          remaining: 8,
          used: 2,
          // 53 s are left of this window. The charge leaves with the next one; half of it weighs one after half of that.
          resetAfterMs: 113_000,
          nextAfterMs: 83_000,
          retryAfterMs: 0,
          windowMs: 60_000,
        },
      ],
    })
  })

  it('that refuses costs nothing, and -1 is never', () => {
    expect(readReply([7000, 0, -1, 0, 2, 0], one)).toMatchObject({
      allowed: false,
      results: [{ allowed: false, cost: 0, remaining: 8, retryAfterMs: null }],
    })
  })

  it('that refuses by one of two policies', () => {
    const reply = readReply([7000, 0, 0, 7000, 2, 0, 2000, 0, 99, 0], two)
    expect(reply).toMatchObject({
      results: [
        { allowed: true, cost: 0, remaining: 8, retryAfterMs: 0 },
        { allowed: false, cost: 0, remaining: 0, retryAfterMs: 2000 },
      ],
    })
  })

  it('that came too late tells the time', () => {
    expect(readReply([7000, -1], one)).toEqual({ late: true, now: 7000 })
    expect(readSettled([7000, -1])).toEqual({ late: true, now: 7000 })
  })

  it('that has settled', () => {
    expect(readSettled([7000, 1])).toEqual({ late: false, now: 7000, value: undefined })
  })
})

describe('what is no reply is an error', () => {
  const GOOD = [7000, 1, 0, 0, 2, 0]
  it.each<[string, unknown]>([
    ['null', null],
    ['undefined', undefined],
    ['true', true],
    ['one', 1],
    ['OK', 'OK'],
    ['an empty list', []],
    ['the time alone', [7000]],
    ['a status alone', [7000, 1]],
    ['a map of RESP3', new Map([[0, 7000]])],
    ['text for numbers', GOOD.map(String)],
    ['bigint for numbers', GOOD.map(BigInt)],
    ['buffers for numbers', GOOD.map((number) => Buffer.from(String(number)))],
    ['a true status', [7000, true, ...GOOD.slice(2)]],
    ['a status of its own', [7000, 2, ...GOOD.slice(2)]],
    ['late with numbers', [7000, -1, ...GOOD.slice(2)]],
    ['a number less', GOOD.slice(0, -1)],
    ['a number more', [...GOOD, 0]],
    ['a fraction', [7000, 1, 0, 0, 2.5, 0]],
    ['no number', [7000, 1, 0, 0, Number.NaN, 0]],
    ['a hole', [7000, 1, 0, 0, null, 0]],
    ['a number beyond 2^53', [7000, 1, 0, 0, 2 ** 53, 0]],
    ['less than nothing used', [7000, 1, 0, 0, -1, 0]],
    ['a window that has not begun', [7000, 1, 0, 7001, 2, 0]],
    ['a window that is long over', [200_000, 1, 0, 0, 2, 0]],
    ['a wait below never', [7000, 0, -2, 0, 2, 0]],
    ['allowed, but to wait', [7000, 1, 5, 0, 2, 0]],
    ['refused, without a wait', [7000, 0, 0, 0, 2, 0]],
    ['the reply to two policies', [...GOOD, ...GOOD.slice(2)]],
  ])('%s', (_, reply) => {
    expect(thrown(() => readReply(reply, one))).toBeInstanceOf(Error)
  })

  it.each<[string, unknown]>([
    ['OK', 'OK'],
    ['null', null],
    ['the time alone', [7000]],
    ['a refusal', [7000, 0]],
    ['a status of its own', [7000, 2]],
    ['a number more', [7000, 1, 1]],
  ])('%s, of a settlement', (_, reply) => {
    expect(thrown(() => readSettled(reply))).toBeInstanceOf(Error)
  })

  it('whatever comes: never allowed, save by the one form of a reply', () => {
    const number = fc.oneof(fc.integer({ min: -2, max: 12 }), fc.integer(), fc.anything())
    const replies = fc.oneof(fc.anything(), fc.array(number, { maxLength: 14 }), nearlyGood(GOOD))
    const property = fc.property(replies, (reply) => {
      const read = readOrNone(reply)
      if (read === undefined || read.late || !read.allowed) return
      const [, status, wait] = reply as number[]
      // -0, which no client makes of a reply, is 0 as well.
      expect([(reply as unknown[]).length, status, wait === 0]).toEqual([6, 1, true])
      const [{ remaining, resetAfterMs, nextAfterMs }] = read.results as [PolicyResult]
      expect(remaining >= 0 && remaining <= 10 && resetAfterMs! >= 0 && nextAfterMs! >= 0).toBe(true)
    })
    fc.assert(property, { numRuns: 20_000 })
  })
})

function readOrNone(reply: unknown): Reply | undefined {
  try {
    return readReply(reply, one)
  } catch {
    return undefined
  }
}

/** A good reply in which one or two places hold something else. */
function nearlyGood(good: readonly number[]): fc.Arbitrary<unknown> {
  const change = fc.tuple(fc.nat(good.length), fc.oneof(fc.integer({ min: -3, max: 12 }), fc.anything()))
  return fc.array(change, { minLength: 1, maxLength: 2 }).map((changes) => {
    const reply: unknown[] = [...good]
    for (const [at, value] of changes) reply[at] = value
    return reply
  })
}
