import { describe, expect, it } from 'vitest'
import { thrown } from '../../../../test/support/thrown.js'
import { unpackIntegers } from './packed.js'

describe('whole numbers', () => {
  it.each<[readonly number[], number]>([
    [[0x00], 0],
    [[0x7f], 127],
    [[0xff], -1],
    [[0xe0], -32],
    [[0xcc, 0x80], 128],
    [[0xcd, 0x01, 0x00], 256],
    [[0xce, 0xff, 0xff, 0xff, 0xff], 2 ** 32 - 1],
    [[0xcf, 0x00, 0x1f, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff], Number.MAX_SAFE_INTEGER],
    [[0xd0, 0x80], -128],
    [[0xd1, 0xff, 0x7f], -129],
    [[0xd2, 0x80, 0x00, 0x00, 0x00], -(2 ** 31)],
    [[0xd3, 0xff, 0xff, 0xff, 0xfe, 0xd5, 0xfa, 0x0e, 0x01], -4_999_999_999],
    [[0xd3, 0xff, 0xe0, 0x00, 0x00, 0x00, 0x00, 0x00, 0x01], Number.MIN_SAFE_INTEGER],
    [[0xd3, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x05], 5],
  ])('%j is %d', (bytes, number) => {
    expect(unpackIntegers(Uint8Array.from(bytes))).toEqual([number])
    expect(unpackIntegers(Uint8Array.from([7, ...bytes, 9]))).toEqual([7, number, 9])
  })

  it('are read where they stand in a larger piece of memory', () => {
    expect(unpackIntegers(Buffer.from([1, 2, 0xcc, 0xff, 3]).subarray(2, 4))).toEqual([255])
  })
})

describe('what is something else', () => {
  it.each<[string, unknown]>([
    ['a fraction', Uint8Array.of(0xcb, 0x3f, 0xf8, 0, 0, 0, 0, 0, 0)],
    ['a small fraction', Uint8Array.of(0xca, 0x3f, 0xc0, 0, 0)],
    ['nil', Uint8Array.of(0xc0)],
    ['true', Uint8Array.of(0xc3)],
    ['text', Uint8Array.of(0xa1, 0x31)],
    ['text of some length', Uint8Array.of(0xd9, 1, 0x31)],
    ['a list', Uint8Array.of(0x91, 1)],
    ['a map', Uint8Array.of(0x81, 1, 1)],
    ['2^53', Uint8Array.of(0xcf, 0, 0x20, 0, 0, 0, 0, 0, 0)],
    ['2^64 - 1', Uint8Array.of(0xcf, 255, 255, 255, 255, 255, 255, 255, 255)],
    ['a number that is cut off', Uint8Array.of(0xcd, 1)],
    ['no bytes', [1, 2]],
    ['a string', '12'],
    ['null', null],
  ])('%s is an error', (_, reply) => {
    expect(thrown(() => unpackIntegers(reply))).toBeInstanceOf(Error)
  })
})
