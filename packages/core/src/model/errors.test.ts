import { describe, expect, it } from 'vitest'
import { configError, isRateLimitError, RateLimitError, show } from './errors.js'

describe('RateLimitError', () => {
  it('is an Error with a code, a name and the cause', () => {
    const cause = new Error('socket closed')
    const error = new RateLimitError('RL_STORE', 'store: failed', { cause })
    expect(error).toBeInstanceOf(Error)
    expect(error).toMatchObject({ name: 'RateLimitError', code: 'RL_STORE', message: 'store: failed', cause })
    expect(String(error)).toBe('RateLimitError: store: failed')
  })

  it('B90: one of another copy of the package is known by its brand', () => {
    const other = Object.assign(new Error('x'), { [Symbol.for('@rl/core.error')]: true })
    expect(other).not.toBeInstanceOf(RateLimitError)
    expect(isRateLimitError(other)).toBe(true)
  })

  it('B90: shows no brand in logs', () => {
    expect(Object.getOwnPropertySymbols({ ...new RateLimitError('RL_KEY', 'x') })).toEqual([])
  })

  it.each([new Error('x'), { code: 'RL_STORE' }, 'RL_STORE', null, undefined, 1])(
    'B90: %o is none',
    (value) => {
      expect(isRateLimitError(value)).toBe(false)
    },
  )
})

describe('configError', () => {
  it('names the option, the advice and the value seen', () => {
    expect(configError('maxKeys', -1, 'must be a whole number')).toMatchObject({
      code: 'RL_CONFIG',
      message: 'maxKeys: must be a whole number; got -1',
    })
  })
})

describe('show', () => {
  it.each([
    ['a', '"a"'],
    ['10', '"10"'],
    [10, '10'],
    [10n, '10n'],
    [Number.NaN, 'NaN'],
    [undefined, 'undefined'],
    [null, 'null'],
    [true, 'true'],
    [{ secret: 1 }, 'an object'],
    [[1, 2], 'an array of 2'],
    [() => 1, 'a function'],
    [Symbol('s'), 'Symbol(s)'],
  ])('shows %o as %s', (value, text) => {
    expect(show(value)).toBe(text)
  })

  it.each([
    ['a\r\nb', String.raw`"a\r\nb"`],
    ['\u0000\u001b[31m', String.raw`"\u0000\u001b[31m"`],
    ['\u007f\u0085\u009b', String.raw`"\u007f\u0085\u009b"`],
    ['\u2028\u2029', String.raw`"\u2028\u2029"`],
    ['\ud800', String.raw`"\ud800"`],
  ])('keeps a message on one line: case %#', (value, text) => {
    expect(show(value)).toBe(text)
  })

  it.each([
    ['x'.repeat(1_000_000), `"${'x'.repeat(79)}…`],
    [10n ** 100n, `1${'0'.repeat(79)}…`],
    [Symbol('x'.repeat(100)), `Symbol(${'x'.repeat(73)}…`],
  ])('cuts what is long: case %#', (value, text) => {
    expect(show(value)).toBe(text)
  })
})
