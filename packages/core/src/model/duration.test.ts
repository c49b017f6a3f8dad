import { describe, expect, it } from 'vitest'
import { thrown } from '../../../../test/support/thrown.js'
import { formatDuration, parseDuration } from './duration.js'

describe('parseDuration', () => {
  it.each([
    [1, 1],
    [1500, 1500],
    ['1ms', 1],
    ['250 millisecond', 250],
    ['250 milliseconds', 250],
    ['10s', 10_000],
    ['3 sec', 3000],
    ['1 second', 1000],
    ['90 seconds', 90_000],
    ['1m', 60_000],
    ['5 min', 300_000],
    ['1 minute', 60_000],
    ['2 minutes', 120_000],
    ['2h', 7_200_000],
    ['1 hour', 3_600_000],
    ['12 hours', 43_200_000],
    ['1d', 86_400_000],
    ['1 day', 86_400_000],
    ['7 days', 604_800_000],
    ['day', 86_400_000],
    ['ms', 1],
    [' 10s ', 10_000],
    ['007s', 7000],
  ])('reads %o as %d ms', (value, ms) => {
    expect(parseDuration(value, 'window')).toBe(ms)
  })

  it.each([
    ['row 73: 2^31 ms', 2 ** 31, 2_147_483_648],
    ['row 73: 30 days', '30d', 2_592_000_000],
    ['B125: 365 days', '365d', 31_536_000_000],
    ['a hundred years', '36525d', 3_155_760_000_000],
  ])('takes long windows: %s', (_, value, ms) => {
    expect(parseDuration(value, 'window')).toBe(ms)
  })

  const whole = 'must be whole milliseconds, at least 1 and at most 100 years'
  const united = 'takes whole numbers with a unit, such as "10s" or "1 minute"'
  const units = 'Units are ms, s, m, h, d and their English names.'
  it.each([
    ['row 81', 0, `${whole}; got 0`],
    ['row 81', -1, `${whole}; got -1`],
    ['row 81', Number.NaN, `${whole}; got NaN`],
    ['row 81', '1 fortnight', `has no unit "fortnight". ${units}; got "1 fortnight"`],
    ['B124', 'abc', `has no unit "abc". ${units}; got "abc"`],
    ['B124', '', `${united}; got ""`],
    ['B124', null, 'takes milliseconds or a string such as "10s"; got null'],
    ['B124', undefined, 'takes milliseconds or a string such as "10s"; got undefined'],
    ['B124', {}, 'takes milliseconds or a string such as "10s"; got an object'],
    ['B55', 99.5, `${whole}; got 99.5`],
    ['B125', '36526d', `${whole}; got "36526d"`],
    ['an array', ['10s'], 'takes milliseconds or a string such as "10s"; got an array of 1'],
    ['a bigint', 10n, 'takes milliseconds or a string such as "10s"; got 10n'],
    ['not finite', Number.POSITIVE_INFINITY, `${whole}; got Infinity`],
    ['a number as text', '10', `${united}; got "10"`],
    ['a fraction', '1.5s', `${united}; got "1.5s"`],
    ['a sign', '-1s', `${united}; got "-1s"`],
    ['an exponent', '1e3s', `${united}; got "1e3s"`],
    ['two blanks', '10  s', `${united}; got "10  s"`],
    ['too many digits', '1234567890123456s', `${united}; got "1234567890123456s"`],
    ['no time', '0s', `${whole}; got "0s"`],
    ['an upper-case unit', '1M', 'has no unit "M". Did you mean "m"?; got "1M"'],
    ['a misspelt unit', '2 mintues', 'has no unit "mintues". Did you mean "minutes"?; got "2 mintues"'],
    ['a week', '1w', `has no unit "w". ${units}; got "1w"`],
    ['a month, which varies', '1 month', `has no unit "month". ${units}; got "1 month"`],
    ['a month, which varies', '1mo', `has no unit "mo". ${units}; got "1mo"`],
    ['a year, which varies', '1y', `has no unit "y". ${units}; got "1y"`],
    ['an inherited name', '1 constructor', `has no unit "constructor". ${units}; got "1 constructor"`],
  ])('%s: refuses %o and names the option', (_, value, message) => {
    expect(thrown(() => parseDuration(value, 'fixedWindow: window'))).toMatchObject({
      code: 'RL_CONFIG',
      message: `fixedWindow: window: ${message}`,
    })
  })
})

describe('formatDuration', () => {
  it.each([
    [1, '1ms'],
    [1500, '1500ms'],
    [1000, '1s'],
    [90_000, '90s'],
    [60_000, '1m'],
    [5_400_000, '90m'],
    [3_600_000, '1h'],
    [86_400_000, '1d'],
    [604_800_000, '7d'],
  ])('writes %d ms as %s, the largest whole unit', (ms, text) => {
    expect(formatDuration(ms)).toBe(text)
  })

  it.each([1, 999, 1000, 59_999, 60_000, 90_000, 3_155_760_000_000])('%d ms survive the way back', (ms) => {
    expect(parseDuration(formatDuration(ms), 'window')).toBe(ms)
  })
})
