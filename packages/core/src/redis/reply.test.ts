import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { answer, packed } from '../../../../test/support/packed.js'
import { thrown } from '../../../../test/support/thrown.js'
import type { Charge } from '../model/charge.js'
import type { PolicyResult } from '../model/decision.js'
import { toPolicies } from '../model/limit.js'
import { unpackIntegers } from './packed.js'
import { type Reply, readRepaid, readReply, readSettled } from './reply.js'

const one: readonly Charge[] = [{ limiter: 'api', key: 'k', policies: toPolicies('10/1m'), costs: 2 }]
const two: readonly Charge[] = [
  { limiter: 'api', key: 'k', policies: toPolicies({ short: '10/1s', long: '99/1d' }), costs: 1 },
]

describe('a reply', () => {
  it('that allows', () => {
    expect(readReply(answer(7000, 0, 0, 2, 0), one)).toEqual({
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
    expect(readReply(answer(7000, -1, 0, 2, 0), one)).toMatchObject({
      allowed: false,
      results: [{ allowed: false, cost: 0, remaining: 8, retryAfterMs: null }],
    })
  })

  it('that refuses by one of two policies', () => {
    const reply = readReply(answer(7000, 0, 7000, 2, 0, 2000, 0, 99, 0), two)
    expect(reply).toMatchObject({
      results: [
        { allowed: true, cost: 0, remaining: 8, retryAfterMs: 0 },
        { allowed: false, cost: 0, remaining: 0, retryAfterMs: 2000 },
      ],
    })
  })

  it('that came too late tells the time', () => {
    expect(readReply(answer(7000, -2), one)).toEqual({ late: true, now: 7000 })
    expect(readSettled(answer(7000, -2))).toEqual({ late: true, now: 7000 })
  })

  it('that has settled', () => {
    expect(readSettled(answer(7000, 1))).toEqual({ late: false, now: 7000, value: undefined })
  })
})

describe('what is no reply is an error', () => {
  const GOOD = [7000, 0, 0, 2, 0] as const
  it.each<[string, unknown]>([
    ['null', null],
    ['undefined', undefined],
    ['true', true],
    ['one', 1],
    ['OK', 'OK'],
    ['the numbers as a list, as clients give those of other scripts', GOOD],
    ['the numbers as text', answer(...GOOD).toString()],
    ['the numbers without what begins an answer', packed(...GOOD)],
    ...['value', 'OK', '54321', '\u007f'.repeat(6), 'ÿ'.repeat(3)].map((text): [string, unknown] => [
      text,
      Buffer.from(text),
    ]),
    ['a map of RESP3', new Map([[0, 7000]])],
    ['bytes of which there is no first', new DataView(new ArrayBuffer(5))],
    ['nothing', answer()],
    ['the time alone', answer(7000)],
    ['a status alone', answer(7000, 1)],
    ['a time before 1970', answer(-7000, ...GOOD.slice(1))],
    ['late with numbers', answer(7000, -2, ...GOOD.slice(2))],
    ['a number less', answer(...GOOD.slice(0, -1))],
    ['a number more', answer(...GOOD, 0)],
    ['a number beyond 2^53', answer(7000, 0, 0, 2 ** 53, 0)],
    ['less than nothing used', answer(7000, 0, 0, -1, 0)],
    ['a window that has not begun', answer(7000, 0, 7001, 2, 0)],
    ['a window that is long over', answer(200_000, 0, 0, 2, 0)],
    ['a wait below never', answer(7000, -3, 0, 2, 0)],
    ['the reply to two policies', answer(...GOOD, ...GOOD.slice(1))],
    ['more packed than a caller can wait for', Buffer.concat([answer(...GOOD), Buffer.of(0xcf)])],
  ])('%s', (_, reply) => {
    expect(thrown(() => readReply(reply, one))).toBeInstanceOf(Error)
  })

  it.each<[string, unknown]>([
    ['OK', 'OK'],
    ['null', null],
    ['the time alone', answer(7000)],
    ['a refusal', answer(7000, 0)],
    ['a status of its own', answer(7000, 2)],
    ['a number more', answer(7000, 1, 1)],
  ])('%s, of a settlement', (_, reply) => {
    expect(thrown(() => readSettled(reply))).toBeInstanceOf(Error)
  })

  it.each<[string, unknown]>([
    ['less than no debts left', answer(7000, -1)],
    ['more debts left than there were', answer(7000, 4)],
    ['a text', Buffer.from('OK')],
  ])('%s, of a repayment', (_, reply) => {
    expect(thrown(() => readRepaid(reply, 3))).toBeInstanceOf(Error)
  })

  it('any text as bytes, of any question', () => {
    const readers = [(it: unknown) => readReply(it, one), readSettled, (it: unknown) => readRepaid(it, 3)]
    const property = fc.property(fc.string({ unit: 'binary' }), (text) => {
      for (const read of readers) expect(thrown(() => read(Buffer.from(text)))).toBeInstanceOf(Error)
    })
    fc.assert(property, { numRuns: 2000 })
  })

  it('whatever comes: never allowed, save by the one form of a reply', () => {
    const number = fc.oneof(fc.integer({ min: -2, max: 12 }), fc.integer())
    const numbers = fc.array(number, { maxLength: 12 }).map((list) => answer(...list))
    const replies = fc.oneof(
      fc.anything(),
      fc.uint8Array({ maxLength: 20 }),
      numbers,
      nearlyGood(answer(...GOOD)),
    )
    const property = fc.property(replies, (reply) => {
      const read = readOrNone(reply)
      if (read === undefined || read.late || !read.allowed) return
      const [mark, , wait, ...more] = unpackIntegers(reply)
      expect([mark, wait, more.length]).toEqual([-1, 0, 3])
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

/** A good reply in which one or two bytes are others. */
function nearlyGood(good: Uint8Array): fc.Arbitrary<Uint8Array> {
  const change = fc.tuple(fc.nat(good.length), fc.nat(255))
  return fc.array(change, { minLength: 1, maxLength: 2 }).map((changes) => {
    const bytes = [...good]
    for (const [at, byte] of changes) bytes[at] = byte
    return Uint8Array.from(bytes)
  })
}
