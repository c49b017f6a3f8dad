import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { thrown } from '../../../../test/support/thrown.js'
import type { Charge } from '../model/charge.js'
import { toPolicies } from '../model/limit.js'
import { readReply, readSettled } from './reply.js'

const one: readonly Charge[] = [{ limiter: 'api', key: 'k', policies: toPolicies('10/1m'), costs: 2 }]
const two: readonly Charge[] = [
  { limiter: 'api', key: 'k', policies: toPolicies({ short: '10/1s', long: '99/1d' }), costs: 1 },
]

describe('a reply', () => {
  it('that allows', () => {
    expect(readReply([7000, 1, 10, 0, 8, 60_000, 30_000], one)).toEqual({
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
          resetAfterMs: 60_000,
          nextAfterMs: 30_000,
          retryAfterMs: 0,
          windowMs: 60_000,
        },
      ],
    })
  })

  it('that refuses costs nothing, and -1 is never', () => {
    expect(readReply([7000, 0, 10, -1, 8, 60_000, -1], one)).toMatchObject({
      allowed: false,
      results: [{ allowed: false, cost: 0, retryAfterMs: null, nextAfterMs: null }],
    })
  })

  it('that refuses by one of two policies', () => {
    const reply = readReply([7000, 0, 10, 0, 8, 1000, 500, 99, 2000, 0, 3000, 2000], two)
    expect(reply).toMatchObject({
      results: [
        { allowed: true, cost: 0 },
        { allowed: false, cost: 0 },
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
  const GOOD = [7000, 1, 10, 0, 8, 60_000, 30_000]
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
    ['a fraction', [7000, 1, 10, 0, 7.5, 60_000, 30_000]],
    ['no number', [7000, 1, 10, 0, Number.NaN, 60_000, 30_000]],
    ['a hole', [7000, 1, 10, 0, null, 60_000, 30_000]],
    ['a number beyond 2^53', [7000, 1, 10, 0, 8, 2 ** 53, 30_000]],
    ['another limit', [7000, 1, 11, 0, 8, 60_000, 30_000]],
    ['more than the limit', [7000, 1, 10, 0, 11, 60_000, 30_000]],
    ['less than nothing', [7000, 1, 10, 0, -1, 60_000, 30_000]],
    ['a reset in the past', [7000, 1, 10, 0, 8, -1, 30_000]],
    ['a wait below never', [7000, 0, 10, -2, 8, 60_000, 30_000]],
    ['allowed, but to wait', [7000, 1, 10, 5, 8, 60_000, 30_000]],
    ['refused, without a wait', [7000, 0, 10, 0, 8, 60_000, 30_000]],
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
      if (isAllowed(reply)) {
        const [, status, limit, wait, remaining, reset, next] = reply as number[]
        // -0, which no client makes of a reply, is 0 as well.
        expect([(reply as unknown[]).length, status, limit, wait === 0]).toEqual([7, 1, 10, true])
        expect(remaining! >= 0 && remaining! <= 10 && reset! >= 0 && next! >= -1).toBe(true)
      }
    })
    fc.assert(property, { numRuns: 20_000 })
  })
})

function isAllowed(reply: unknown): boolean {
  try {
    const read = readReply(reply, one)
    return !read.late && read.allowed
  } catch {
    return false
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
