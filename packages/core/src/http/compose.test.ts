import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { fakeRequest } from '../../../../test/support/fake-request.js'
import { type Key, toKey } from '../model/key.js'
import { compose, type KeyFunction } from './keys.js'

const composed = (...parts: readonly unknown[]) =>
  compose(
    ...parts.map(
      (part): KeyFunction =>
        () =>
          part as Key,
    ),
  )({}, fakeRequest())

/** What the store would count under. */
const stored = (...parts: readonly Key[]) => toKey(composed(...parts))

describe('different parts never make the same key', () => {
  it.each<[string, readonly Key[], readonly Key[]]>([
    ['5.2 row 37: user a:b on c, user a on b:c', ['a:b', 'c'], ['a', 'b:c']],
    ['5.2 row 38: address and group run together', ['1.2.3.4', '5'], ['1.2.3.45']],
    ['the separator in a part', ['a|b', 'c'], ['a', 'b|c']],
    ['the escape in a part', ['a%7Cb'], ['a|b']],
    ['an escaped escape', ['a%257Cb'], ['a%7Cb']],
    ['one part or two', ['a|b'], ['a', 'b']],
    ['the mark of a hash', ['#a', 'b'], ['a', 'b']],
    ['5.2 row 42: lone surrogates', ['\uD800', 'x'], ['\uFFFD', 'x']],
    ['5.2 row 43: composed and decomposed', ['\u00e9', 'x'], ['e\u0301', 'x']],
  ])('%s', (_, a, b) => {
    expect(stored(...a)).not.toBe(stored(...b))
  })

  const parts = fc.array(
    fc.oneof(
      fc.string({
        minLength: 1,
        maxLength: 4,
        unit: fc.constantFrom('a', '|', '%', '7', 'C', '2', '5', '#', ':'),
      }),
      fc.string({ minLength: 1, unit: 'binary' }),
      fc.integer(),
      fc.bigInt(),
      fc.string({ minLength: 255, maxLength: 258, unit: fc.constantFrom('a', '|') }),
    ),
    { minLength: 1, maxLength: 4 },
  )

  it('as a law', () => {
    fc.assert(
      fc.property(parts, parts, (a, b) => {
        const same = JSON.stringify(a.map(String)) === JSON.stringify(b.map(String))
        expect(stored(...a) === stored(...b)).toBe(same)
      }),
      { numRuns: 2000 },
    )
  })

  it('1 and "1" are one subject', () => {
    expect(stored(1, 2n)).toBe(stored('1', '2'))
  })

  it('5.2 row 40: the key that is stored is bounded, however long the parts', () => {
    expect(stored('a'.repeat(1_000_000), 'b').length).toBeLessThanOrEqual(257)
  })
})

describe('compose', () => {
  it.each([[[undefined, 'b']], [['a', undefined]]])(
    'gives nothing where a part gives nothing: %j',
    (parts) => {
      expect(composed(...parts)).toBeUndefined()
    },
  )

  it('asks no further part after one that gives nothing', () => {
    const never: KeyFunction = () => {
      throw new Error('asked')
    }
    expect(compose(() => undefined, never)({}, fakeRequest())).toBeUndefined()
  })

  it('waits where a part is a promise, and keeps the order', async () => {
    const late: KeyFunction = () => Promise.resolve('late')
    const key = compose(late, () => 'now')({}, fakeRequest())
    expect(key).toBeInstanceOf(Promise)
    await expect(key).resolves.toBe('late|now')
  })

  it('needs no promise where no part does', () => {
    expect(composed('a', 1)).toBe('a|1')
  })

  it.each([[null], [''], [0.5], [Number.NaN], [{}], [['a']], [Symbol('s')], [true]])(
    '5.2 row 34: %o as a part is an error, never a bucket of that name',
    (part) => {
      expect(() => composed(part, 'b')).toThrow(expect.objectContaining({ code: 'RL_KEY' }))
      expect(() => composed('a', part)).toThrow(expect.objectContaining({ code: 'RL_KEY' }))
    },
  )

  it.each([[[]], [['x']], [[() => 'a', undefined]]])('refuses %j at construction', (parts) => {
    expect(() => compose(...(parts as unknown as KeyFunction[]))).toThrow(
      expect.objectContaining({
        code: 'RL_CONFIG',
        message: expect.stringContaining('compose: takes key functions'),
      }),
    )
  })
})
