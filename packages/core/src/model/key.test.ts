import { createHash, createHmac } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { thrown } from '../../../../test/support/thrown.js'
import { digest, toKey } from './key.js'

describe('toKey takes', () => {
  it.each([
    ['text as it is', 'user-7', 'user-7'],
    ['row 34: a safe integer', 1, '1'],
    ['row 34: a bigint', 1n, '1'],
    ['0', 0, '0'],
    ['-0', -0, '0'],
    ['a negative number', -7, '-7'],
    ['the largest integer', Number.MAX_SAFE_INTEGER, '9007199254740991'],
    ['a bigint beyond it', 2n ** 64n, '18446744073709551616'],
    ['row 39: __proto__', '__proto__', '__proto__'],
    ['row 39: constructor', 'constructor', 'constructor'],
    ['row 41: braces, a star, line ends, NUL, quotes, emoji', '{a}*\r\n\u0000"🙂', '{a}*\r\n\u0000"🙂'],
    ['the text "undefined"', 'undefined', 'undefined'],
    ['a blank', ' ', ' '],
    ['256 characters', 'x'.repeat(256), 'x'.repeat(256)],
  ])('%s', (_, key, kept) => {
    expect(toKey(key)).toBe(kept)
  })
})

describe('toKey refuses', () => {
  it.each([
    ['row 34, B08', undefined, 'undefined'],
    ['row 34, B08', null, 'null'],
    ['row 34, B82', '', '""'],
    ['row 34', 1.5, '1.5'],
    ['row 34', Number.NaN, 'NaN'],
    ['row 34', {}, 'an object'],
    ['row 34', ['a'], 'an array of 1'],
    ['row 34', Symbol('a'), 'Symbol(a)'],
    ['row 34', Promise.resolve('a'), 'an object'],
    ['an unsafe integer', 2 ** 53, '9007199254740992'],
    ['infinity', Number.POSITIVE_INFINITY, 'Infinity'],
    ['a boolean', true, 'true'],
    ['a String object', new String('a'), 'an object'],
    ['a function', () => 'a', 'a function'],
  ])('%s: %o', (_, key, seen) => {
    expect(thrown(() => toKey(key))).toMatchObject({
      code: 'RL_KEY',
      message:
        `key: must be a non-empty string, a safe integer or a bigint; got ${seen}. ` +
        'Give requests without one a key of their own: key: (ctx) => ctx.user?.id ?? "anonymous".',
    })
  })
})

describe('toKey bounds what is kept', () => {
  it('row 40: of a key of 1 MB the hash', () => {
    expect(toKey('x'.repeat(1_000_000))).toBe(`#${utf16Digest('x'.repeat(1_000_000))}`)
  })

  it('257 characters are hashed too', () => {
    expect(toKey('x'.repeat(257))).toBe(`#${utf16Digest('x'.repeat(257))}`)
  })

  it('a long bigint is the same key as its text', () => {
    const long = 10n ** 300n
    expect(toKey(long)).toBe(toKey(String(long)))
    expect(toKey(long)).toHaveLength(44)
  })

  it('no text is the hash of another', () => {
    const hashed = toKey('x'.repeat(257))
    expect(toKey(hashed)).toBe(`#${hashed}`)
    expect(toKey('#')).toBe('##')
    expect(toKey(`#${'x'.repeat(255)}`)).toHaveLength(257)
  })
})

describe('different keys stay different', () => {
  const long = 'x'.repeat(4095)
  it.each([
    ['row 42: a lone surrogate and the replacement character', '\ud800', '\ufffd'],
    ['row 42: the same in a long key', `${long}\ud800`, `${long}\ufffd`],
    ['row 42: high and low surrogate', '\ud800', '\udc00'],
    ['row 43: é composed and decomposed', 'é', 'e\u0301'],
    ['row 43: upper and lower case', 'ADMIN', 'admin'],
    ['row 43: a trailing blank', 'a', 'a '],
    ['row 43: full-width letters', 'ａ', 'a'],
    ['B10: 4 KiB that differ in the last byte', `${long}a`, `${long}b`],
    ['B10: keys with one prefix', 'rl_live_AAAAAAAA', 'rl_live_BBBBBBBB'],
    ['a leading zero', '01', 1],
  ])('%s', (_, a, b) => {
    expect(toKey(a)).not.toBe(toKey(b))
  })
})

describe('digest', () => {
  it.each(['', 'a', 'é', '🙂', '\ud800', 'x'.repeat(10_000)])(
    'is SHA-256 of the UTF-16 code units: case %#',
    (text) => {
      expect(digest(text)).toBe(utf16Digest(text))
    },
  )

  it('is an HMAC under a secret', () => {
    const hmac = createHmac('sha256', utf16('pepper')).update(utf16('secret-123')).digest('base64url')
    expect(digest('secret-123', 'pepper')).toBe(hmac)
  })

  it('with an empty secret is no plain hash', () => {
    expect(digest('secret-123', '')).not.toBe(digest('secret-123'))
  })
})

/** The oracle: Node's own hash over big-endian code units. */
function utf16Digest(text: string): string {
  return createHash('sha256').update(utf16(text)).digest('base64url')
}

function utf16(text: string): Uint8Array {
  return Buffer.from(text, 'utf16le').swap16()
}
