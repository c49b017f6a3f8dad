import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { encodeSubject, slotOf } from './subject-key.js'

/** Strings in which anything may turn up that an encoding could trip over. */
const subjects = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.string({ unit: fc.constantFrom('%', '~', '{', '}', '0', '7', 'a', ' ', '\0', '\ud800', '\udc00', 'é') }),
  fc.nat(1000).map((length) => 'x'.repeat(length)),
  fc.nat(200).map((length) => ' '.repeat(length)),
)

describe('encodeSubject', () => {
  it.each([
    ['user-42', 'user-42'],
    ['2001:db8::1', '2001:db8::1'],
    ['a b', 'a%0020b'],
    ['100%', '100%0025'],
    ['%0025', '%00250025'],
    ['{user}', '%007buser%007d'],
    ['{}', '%007b%007d'],
    ['a\0b\r\n', 'a%0000b%000d%000a'],
    ['~|', '~|'],
    ['\x7f', '%007f'],
    ['é', '%00e9'],
    ['😀', '%d83d%de00'],
    ['\ud83d', '%d83d'],
    ['\ude00', '%de00'],
  ])('writes %j as %s', (subject, encoded) => {
    expect(encodeSubject(subject)).toBe(encoded)
  })

  it('hashes what would be longer than 512 characters', () => {
    expect(encodeSubject(' '.repeat(102))).toHaveLength(510)
    expect(encodeSubject(' '.repeat(103))).toMatch(/^%~[\w-]{43}$/)
  })

  it('gives different subjects different keys', () => {
    const property = fc.property(subjects, subjects, (one, other) => {
      expect(encodeSubject(one) === encodeSubject(other)).toBe(one === other)
    })
    fc.assert(property, { numRuns: 2000 })
  })

  it('tells a hash from a subject that is spelt like one', () => {
    const hash = encodeSubject(' '.repeat(200))
    expect(encodeSubject(hash)).not.toBe(hash)
  })

  it('leaves printable ASCII without braces, of at most 512 characters', () => {
    const property = fc.property(subjects, (subject) => {
      const encoded = encodeSubject(subject)
      expect(encoded).toMatch(/^[!-z|~]*$/)
      expect(encoded.length).toBeLessThanOrEqual(512)
    })
    fc.assert(property, { numRuns: 2000 })
  })
})

describe('slotOf', () => {
  // By CLUSTER KEYSLOT; the first is also the check value of CRC-16/XMODEM, 0x31c3.
  it.each([
    ['123456789', 12_739],
    ['', 0],
    ['a', 15_495],
    ['foo', 12_182],
    ['somekey', 11_058],
    ['user1000', 3443],
    ['x'.repeat(512), 3103],
  ])('%s stands in slot %d', (tag, slot) => {
    expect(slotOf(tag)).toBe(slot)
  })
})
