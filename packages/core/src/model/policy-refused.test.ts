import { describe, expect, it } from 'vitest'
import { thrown } from '../../../../test/support/thrown.js'
import { fixedWindow, slidingLog, slidingWindow, tokenBucket, toPolicy } from './policy.js'

const builders = { fixedWindow, slidingWindow, slidingLog }
const config = (message: string) => ({ code: 'RL_CONFIG', message })

describe('a builder refuses', () => {
  const whole = 'must be a whole number from 0 (blocks all) to 999999999999999'
  const numbers = [
    ['row 81', Number.NaN, 'NaN'],
    ['row 81', -1, '-1'],
    ['row 81', 0.5, '0.5'],
    ['row 81', Number.POSITIVE_INFINITY, 'Infinity'],
    ['row 81', '10', '"10"'],
    ['row 81', 1e16, '10000000000000000'],
    ['B124', 'abc', '"abc"'],
    ['B124', '', '""'],
    ['B124', null, 'null'],
    ['B124', undefined, 'undefined'],
    ['B124', {}, 'an object'],
    ['a bigint', 10n, '10n'],
    ['16 digits', 1_000_000_000_000_000, '1000000000000000'],
  ] as const
  it.each(numbers)('%s: the limit %o', (_, value, seen) => {
    const limit = value as number
    for (const [name, build] of Object.entries(builders)) {
      expect(thrown(() => build({ limit, window: '1m' }))).toMatchObject(
        config(`${name}: limit: ${whole}; got ${seen}`),
      )
    }
    expect(thrown(() => tokenBucket({ capacity: limit, per: '1m' }))).toMatchObject(
      config(`tokenBucket: capacity: ${whole}; got ${seen}`),
    )
  })

  it.each(numbers.filter(([, value]) => value !== null && value !== undefined))(
    '%s: the refill %o',
    (_, value, seen) => {
      expect(thrown(() => tokenBucket({ capacity: 5, refill: value as number, per: '1m' }))).toMatchObject(
        config(`tokenBucket: refill: ${whole}; got ${seen}`),
      )
    },
  )

  it('a bucket that never fills', () => {
    expect(thrown(() => tokenBucket({ capacity: 5, refill: 0, per: '1m' }))).toMatchObject(
      config('tokenBucket: refill: must be at least 1, or an empty bucket stays empty; got 0'),
    )
  })

  it.each([
    ['row 81', 0],
    ['row 81', -1],
    ['row 81', Number.NaN],
    ['row 81', '1 fortnight'],
    ['B124', 'abc'],
    ['B124', ''],
    ['B124', null],
    ['B124', undefined],
    ['B124', {}],
  ])('%s: the window %o', (_, value) => {
    const window = value as string
    for (const [name, build] of Object.entries(builders)) {
      const message = expect.stringMatching(`^${name}: window: .*; got `)
      expect(thrown(() => build({ limit: 1, window }))).toMatchObject({ code: 'RL_CONFIG', message })
    }
    const message = expect.stringMatching('^tokenBucket: per: .*; got ')
    expect(thrown(() => tokenBucket({ capacity: 1, per: window }))).toMatchObject({
      code: 'RL_CONFIG',
      message,
    })
  })

  it.each(['day', 'first', null, 1])('the alignment %o', (align) => {
    expect(thrown(() => fixedWindow({ limit: 1, window: '1m', align: align as 'epoch' }))).toMatchObject({
      message: expect.stringMatching('^align: is "epoch" or "first-hit"; got '),
    })
  })
})

describe('what can not be counted exactly is answered with the nearest that can', () => {
  const others = 'fixedWindow and slidingLog have no such bound'
  it.each([
    [
      () => slidingWindow({ limit: 10_000_000, window: '30d' }),
      `slidingWindow: can't count that exactly: the largest exact limit for 30d is 3474999, the longest time for 10000000 is "900719925ms"; ${others}; got "10000000 per 30d"`,
    ],
    [
      () => tokenBucket({ capacity: 10_000_000, per: '30d' }),
      `tokenBucket: can't count that exactly: the largest exact limit for 30d is 3474999, the longest time for 10000000 is "900719925ms"; ${others}; got "10000000 per 30d"`,
    ],
  ])('case %#', (build, message) => {
    expect(thrown(build)).toMatchObject(config(message))
  })

  it.each([
    ['the limit that is named passes', 3_474_999, '30d'],
    ['the time that is named passes', 10_000_000, '900719925ms'],
  ])('%s', (_, limit, window) => {
    expect(slidingWindow({ limit, window })).toMatchObject({ limit })
    expect(tokenBucket({ capacity: limit, per: window })).toMatchObject({ limit })
  })

  it.each([
    ['one more does not', 3_475_000, '30d'],
    ['a millisecond more does not', 10_000_000, '900719926ms'],
  ])('%s', (_, limit, window) => {
    expect(thrown(() => slidingWindow({ limit, window }))).toMatchObject({ code: 'RL_CONFIG' })
    expect(thrown(() => tokenBucket({ capacity: limit, per: window }))).toMatchObject({ code: 'RL_CONFIG' })
  })
})

describe('what is no policy is refused', () => {
  const text = 'takes "<limit>/<window>", such as "100/1m"'
  const either = 'takes "100/1m" or a policy such as tokenBucket({ capacity: 20, per: "1s" })'
  it.each([
    ['row 81', '10', `${text}; got "10"`],
    ['row 81', 10, `${either}; got 10`],
    ['B124', Number.NaN, `${either}; got NaN`],
    ['B124', '', `${text}; got ""`],
    ['B124', null, `${either}; got null`],
    ['B124', undefined, `${either}; got undefined`],
    ['B124', {}, `${either}; got an object`],
    ['a negative one', '-1/1m', `${text}; got "-1/1m"`],
    ['a fraction', '1.5/1m', `${text}; got "1.5/1m"`],
    ['no window', '100/', `${text}; got "100/"`],
    ['another kind', { kind: 'gcra' }, `kind: is none of the builders’ kinds; got "gcra"`],
  ])('%s: %o', (_, value, message) => {
    expect(thrown(() => toPolicy(value, 'limit'))).toMatchObject(config(`limit: ${message}`))
  })
})
