import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { JsonScan } from './json-scan.js'

function faultOf(text: string): string | undefined {
  const scan = new JsonScan(text)
  try {
    while (scan.step());
    return undefined
  } catch (error) {
    return (error as Error).message
  }
}

describe('what JSON.parse would hide', () => {
  it.each([
    ['{"a":1,"a":2}', 'a: stands there twice (line 1, column 8)'],
    ['{"a":1,\n "\\u0061":2}', 'a: stands there twice (line 2, column 2)'],
    ['{"tenants":{"acme":{"plan":"a"},"acme":{}}}', 'tenants.acme: stands there twice (line 1, column 33)'],
    ['{"a":[{},{"b":1,"b":2}]}', 'a[1].b: stands there twice (line 1, column 17)'],
    ['{"tenants":{"__proto__":{}}}', 'tenants.__proto__: is no name that can be used (line 1, column 13)'],
    ['{"\\u005f_proto__":{}}', '__proto__: is no name that can be used (line 1, column 2)'],
    ['[[[[[[[[[[[[[[[[[1]]]]]]]]]]]]]]]]]', 'is nested too deeply'],
  ])('%j is refused: %s', (text, message) => {
    expect(faultOf(text)).toContain(message)
  })

  it('the same name in different objects is no fault', () => {
    expect(faultOf('{"a":{"a":1},"b":{"a":1},"c":[{"a":1},{"a":1}]}')).toBeUndefined()
  })
})

describe('what is no JSON', () => {
  it.each([
    ['', 'ends before it is complete (line 1, column 1)'],
    ['{"a":', 'ends before it is complete (line 1, column 6)'],
    ['{"a":"key-abc', 'ends before it is complete (line 1, column 6)'],
    ['{"a":\n  junk}', 'is no JSON: expected value (line 2, column 3)'],
    ['{"a":1,}', 'is no JSON: expected name (line 1, column 8)'],
    ['{"a" 1}', 'is no JSON: expected : (line 1, column 6)'],
    ['{"a":1 "b":2}', 'is no JSON: expected , or end (line 1, column 8)'],
    ['[1}', 'is no JSON: expected , or end (line 1, column 3)'],
    ['{} {}', 'is no JSON: expected nothing (line 1, column 4)'],
    ['["a\nb"]', 'is no JSON: a text goes on beyond its line (line 1, column 2)'],
    ['["\\x"]', 'is no JSON: a text has an escape that does not exist (line 1, column 2)'],
  ])('%j: %s', (text, message) => {
    expect(faultOf(text)).toBe(message)
  })

  it('a fault tells nothing of what stands there: it may be a key', () => {
    expect(faultOf('{"keys":["key-secret" "key-secret"]}')).not.toContain('secret')
    expect(faultOf('{"keys":[key-secret]}')).not.toContain('secret')
  })

  it('it takes what JSON.parse takes, and nothing else', () => {
    const pieces = fc.constantFrom(
      ...[
        '{',
        '}',
        '[',
        ']',
        ',',
        ':',
        '"a"',
        '"b"',
        '1',
        '-0.5e+3',
        '01',
        '-',
        'true',
        'nul',
        ' ',
        '\n',
        '"\\n"',
        '"',
      ],
    )
    const document = fc.jsonValue({ maxDepth: 3 }).map((value) => JSON.stringify(value))
    const cut = fc.tuple(document, fc.nat(), fc.nat(3), pieces).map(([text, place, length, piece]) => {
      const from = place % (text.length + 1)
      return text.slice(0, from) + piece + text.slice(from + length)
    })
    const soup = fc.array(pieces, { maxLength: 12 }).map((parts) => parts.join(''))
    fc.assert(
      fc.property(fc.oneof(document, cut, soup), (text) => {
        const found = faultOf(text)
        // What only we refuse is no matter here.
        if (found !== undefined && /twice|no name|too deeply/.test(found)) return
        expect(found === undefined).toBe(isJson(text))
      }),
      { numRuns: 2000 },
    )
  })
})

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}
