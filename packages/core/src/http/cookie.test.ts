import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { cookieValue } from './cookie.js'

describe('cookieValue', () => {
  it.each<[header: string | undefined, value: string | undefined]>([
    ['sid=a', 'a'],
    ['x=1; sid=a; y=2', 'a'],
    ['x=1;sid=a', 'a'],
    [' \tsid = a ', 'a'],
    ['sid="a"', 'a'],
    ['sid="', '"'],
    ['sid=', ''],
    ['sid=a=b', 'a=b'],
    ['sid=first; sid=second', 'first'],
    ['sid=s%3Aabc.d', 's:abc.d'],
    ['sid=%', '%'],
    ['sid=%ff', '%ff'],
    ['sid', undefined],
    ['SID=a', undefined],
    ['xsid=a', undefined],
    ['sidx=a', undefined],
    ['x="sid=a"', undefined],
    ['x=1, sid=a', undefined],
    ['=a', undefined],
    ['', undefined],
    [';;;', undefined],
    [undefined, undefined],
  ])('of sid in %j is %j', (header, value) => {
    expect(cookieValue(header, 'sid')).toBe(value)
  })

  it.each(['__proto__', 'constructor', 'hasOwnProperty', 'toString'])(
    'row 39: %s is a name like others, and no cookie where none was sent',
    (name) => {
      expect([cookieValue(`a=1; ${name}=b`, name), cookieValue('a=1', name)]).toEqual(['b', undefined])
    },
  )

  it('a value longer than browsers keep is no value', () => {
    expect(cookieValue(`sid=${'x'.repeat(4095)}`, 'sid')).toHaveLength(4095)
    expect(cookieValue(`sid=${'x'.repeat(4096)}; sid=a`, 'sid')).toBe('')
  })

  it.each([
    ['one of a megabyte', `sid=${'%41'.repeat(350_000)}`, ''],
    ['a megabyte of another', `x=${'y'.repeat(1_000_000)}; sid=a`, 'a'],
    ['two hundred thousand cookies', `${'a=1; '.repeat(200_000)}sid=a`, 'a'],
    ['a megabyte of separators', `${';'.repeat(1_000_000)}sid=a`, 'a'],
    ['a megabyte of blanks', `${' '.repeat(1_000_000)}sid=a`, 'a'],
    ['a megabyte of the name', `${'sid'.repeat(300_000)}=a`, undefined],
    ['a megabyte of the name with blanks', `${'sid ;'.repeat(200_000)}sid=a`, 'a'],
  ])('%s takes no more than a walk over the header', (_, header, value) => {
    const started = performance.now()
    expect(cookieValue(header, 'sid')).toBe(value)
    expect(performance.now() - started).toBeLessThan(1000)
  })

  it('finds what was put in, whatever stands around it, and never fails', () => {
    const name = fc.stringMatching(/^[a-z]{1,3}$/)
    const value = fc.stringMatching(/^[\w-]{1,8}$/)
    const cookies = fc.uniqueArray(fc.tuple(name, value), { selector: ([n]) => n, minLength: 1 })
    fc.assert(
      fc.property(cookies, fc.string(), (pairs, junk) => {
        const header = pairs.map(([n, v]) => `${n}=${v}`).join('; ')
        for (const [n, v] of pairs) expect(cookieValue(header, n)).toBe(v)
        cookieValue(junk, 'sid')
      }),
    )
  })
})
