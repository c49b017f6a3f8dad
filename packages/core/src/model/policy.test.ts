import { describe, expect, it } from 'vitest'
import {
  fixedWindow,
  type Policy,
  scaled,
  slidingLog,
  slidingWindow,
  spanMs,
  tokenBucket,
  toPolicy,
} from './policy.js'

const minute = { name: '', limit: 100, windowMs: 60_000 }

describe('a builder makes frozen plain data', () => {
  it.each([
    [fixedWindow({ limit: 100, window: '1m' }), { kind: 'fixed-window', ...minute, align: 'epoch' }],
    [
      fixedWindow({ limit: 100, window: 60_000, align: 'first-hit' }),
      { kind: 'fixed-window', ...minute, align: 'first-hit' },
    ],
    [slidingWindow({ limit: 100, window: '1m' }), { kind: 'sliding-window', ...minute }],
    [slidingLog({ limit: 100, window: '1m' }), { kind: 'sliding-log', ...minute }],
    [tokenBucket({ capacity: 100, per: '1m' }), { kind: 'token-bucket', ...minute, refill: 100 }],
    [tokenBucket({ capacity: 100, refill: 7, per: '1m' }), { kind: 'token-bucket', ...minute, refill: 7 }],
    [tokenBucket({ capacity: 0, per: '1m' }), { kind: 'token-bucket', ...minute, limit: 0, refill: 1 }],
  ])('%o', (policy, data) => {
    expect(policy).toEqual(data)
    expect(Object.isFrozen(policy)).toBe(true)
    expect(JSON.parse(JSON.stringify(policy))).toEqual(data)
  })

  it.each([
    ['undefined is the default', fixedWindow({ limit: 1, window: '1s', align: undefined }).align, 'epoch'],
    ['of a bucket too', tokenBucket({ capacity: 9, refill: undefined, per: '1s' }).refill, 9],
  ])('%s', (_, value, expected) => {
    expect(value).toBe(expected)
  })
})

describe('a policy may say what it counts', () => {
  const unit = 'content-bytes'
  it.each([
    fixedWindow({ limit: 9, window: '1m', unit }),
    slidingWindow({ limit: 9, window: '1m', unit }),
    slidingLog({ limit: 9, window: '1m', unit }),
    tokenBucket({ capacity: 9, per: '1m', unit }),
  ])('%j', (policy) => {
    expect(policy).toMatchObject({ unit: 'content-bytes' })
    expect(toPolicy(JSON.parse(JSON.stringify(policy)), 'limit')).toEqual(policy)
    expect(scaled(policy, 0.5)).toMatchObject({ unit: 'content-bytes' })
  })

  it('requests are not said, as they are the default', () => {
    expect(slidingWindow({ limit: 9, window: '1m', unit: 'requests' })).toEqual(toPolicy('9/1m', 'limit'))
  })

  it.each([
    ['', 'is 1 to 32 of a-z'],
    ['Tokens', 'is 1 to 32 of a-z'],
    ['a"b', 'is 1 to 32 of a-z'],
    ['a\r\nb', 'is 1 to 32 of a-z'],
    ['x'.repeat(33), 'is 1 to 32 of a-z'],
    [null, 'is 1 to 32 of a-z'],
    ['concurrent-requests', 'is of a limit of what runs at once'],
  ])('but not %j', (wrong, message) => {
    const options = { limit: 9, window: '1m', unit: wrong as string }
    expect(() => fixedWindow(options)).toThrow(`fixedWindow: unit: ${message}`)
    expect(() => tokenBucket({ capacity: 9, per: '1m', unit: wrong as string })).toThrow(
      'tokenBucket: unit: ',
    )
  })
})

describe('the limit may be', () => {
  it.each([
    ['row 81, B123: 0, which blocks all', 0],
    ['15 digits, what a structured field carries', 999_999_999_999_999],
  ])('%s', (_, limit) => {
    expect(fixedWindow({ limit, window: '1m' })).toMatchObject({ limit })
    expect(slidingLog({ limit, window: '1m' })).toMatchObject({ limit })
  })

  it.each([
    ['sliding', slidingWindow({ limit: 9_007_199_254, window: 1_000_000 }), 9_007_199_254],
    ['bucket', tokenBucket({ capacity: 900_719_925_474_099, per: 10 }), 900_719_925_474_099],
  ])('of a %s as large as 2^53 / window', (_, policy, limit) => {
    expect(policy.limit).toBe(limit)
  })
})

describe('a string is a sliding window', () => {
  it.each([
    ['100/1m', 100, 60_000],
    ['10/s', 10, 1000],
    ['1000/day', 1000, 86_400_000],
    ['5 / 90 seconds', 5, 90_000],
    [' 5/1h ', 5, 3_600_000],
    ['0/1m', 0, 60_000],
    ['5/365d', 5, 31_536_000_000],
  ])('%o', (text, limit, windowMs) => {
    expect(toPolicy(text, 'limit')).toEqual({ kind: 'sliding-window', name: '', limit, windowMs })
  })
})

describe('an object with a kind is checked and built again', () => {
  it.each<Policy>([
    { kind: 'fixed-window', name: '', limit: 5, windowMs: 1000, align: 'first-hit' },
    { kind: 'sliding-window', name: '', limit: 5, windowMs: 1000 },
    { kind: 'sliding-log', name: '', limit: 5, windowMs: 1000 },
    { kind: 'token-bucket', name: '', limit: 5, windowMs: 1000, refill: 2 },
  ])('%o', (policy) => {
    expect(toPolicy(policy, 'limit')).toEqual(policy)
    expect(toPolicy(policy, 'limit')).not.toBe(policy)
    expect(Object.isFrozen(toPolicy(policy, 'limit'))).toBe(true)
  })
})

describe('spanMs is the time in which the full limit comes back', () => {
  it.each([
    [fixedWindow({ limit: 5, window: '1m' }), 60_000],
    [slidingWindow({ limit: 5, window: '1m' }), 60_000],
    [slidingLog({ limit: 5, window: '1m' }), 60_000],
    [tokenBucket({ capacity: 6, per: '1m' }), 60_000],
    [tokenBucket({ capacity: 20, refill: 5, per: '1s' }), 4000],
    [tokenBucket({ capacity: 10, refill: 3, per: '1s' }), 3334],
    [tokenBucket({ capacity: 0, per: '1s' }), 0],
  ])('%o', (policy, ms) => {
    expect(spanMs(policy)).toBe(ms)
  })
})

describe('scaled gives a share of a limit, rounded down, and 1 where nothing would be left', () => {
  it.each([
    [fixedWindow({ limit: 100, window: '1m' }), 0.25, { limit: 25, windowMs: 60_000, align: 'epoch' }],
    [slidingWindow({ limit: 10, window: '1m' }), 0.25, { limit: 2, windowMs: 60_000 }],
    [slidingLog({ limit: 3, window: '1m' }), 0.25, { limit: 1, windowMs: 60_000 }],
    [slidingLog({ limit: 0, window: '1m' }), 0.25, { limit: 0, windowMs: 60_000 }],
    [tokenBucket({ capacity: 20, refill: 2, per: '1s' }), 0.25, { limit: 5, refill: 1, windowMs: 1000 }],
    [tokenBucket({ capacity: 20, refill: 8, per: '1s' }), 1, { limit: 20, refill: 8, windowMs: 1000 }],
  ])('%o × %d', (policy, share, part) => {
    expect(scaled(policy, share)).toEqual({ kind: policy.kind, name: '', ...part })
    expect(Object.isFrozen(scaled(policy, share))).toBe(true)
  })
})
