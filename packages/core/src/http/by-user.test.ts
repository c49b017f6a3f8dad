import { describe, expect, it } from 'vitest'
import { fakeRequest } from '../../../../test/support/fake-request.js'
import { type Key, toKey } from '../model/key.js'
import { byUser } from './by-user.js'
import { byHeader, byIp, firstOf } from './keys.js'

const asked = (id: unknown, normalise?: boolean | ((text: string) => string)) =>
  byUser(() => id as Key, { normalise })({}, fakeRequest())

describe('byUser', () => {
  it.each<[id: Key, key: string]>([
    ['42', 'user:42'],
    [42, 'user:42'],
    [42n, 'user:42'],
    [0, 'user:0'],
    ['203.0.113.9', 'user:203.0.113.9'],
    ['__proto__', 'user:__proto__'],
    [' a ', 'user: a '],
    ['#a', 'user:#a'],
    ['user:a', 'user:user:a'],
  ])('gives the user: %s is %s', (id, key) => {
    expect(asked(id)).toBe(key)
  })

  it('gives a promise only where the function does', async () => {
    await expect(byUser(() => Promise.resolve(7))({}, fakeRequest())).resolves.toBe('user:7')
    await expect(byUser(() => Promise.resolve(null))({}, fakeRequest())).resolves.toBeUndefined()
  })

  it.each([[undefined], [null], [''], ['   ']])('gives nothing for %j, so that firstOf goes on', (id) => {
    const key = firstOf(
      byUser(() => id),
      byIp(),
    )
    expect(key({}, fakeRequest())).toBe('203.0.113.9')
  })

  it.each([[Number.NaN], [0.5], [2 ** 53], [true], [{}], [['a']], [Symbol('s')], [() => 'a']])(
    'row 34: %o is an error, never a bucket',
    (id) => {
      expect(() => asked(id)).toThrow(expect.objectContaining({ code: 'RL_KEY' }))
    },
  )

  it.each(['user:42', '#user:42', '#cookie:x'])('is nobody’s header: %s', (value) => {
    const key = byHeader('x-tenant')({}, fakeRequest({ headers: { 'x-tenant': value } }))
    expect(key).toBe(`#${value}`)
    expect(toKey(key)).not.toBe(toKey(value))
  })

  it('gets the context and the view', () => {
    const key = byUser<{ id: string }>((ctx, view) => `${ctx.id}-${view.method}`)
    expect(key({ id: 'a' }, fakeRequest())).toBe('user:a-GET')
  })

  it.each<[unknown, unknown, string]>([
    ['id', {}, 'byUser: takes a function'],
    [undefined, {}, 'byUser: takes a function'],
    [() => 'a', { normalize: true }, 'byUser: there is no option "normalize". Did you mean "normalise"?'],
    [() => 'a', { normalise: 'nfc' }, 'byUser: normalise: takes true, false or (text) => text; got "nfc"'],
  ])('refuses %o, %o', (id, options, message) => {
    expect(() => byUser(id as () => string, options as object)).toThrow(
      expect.objectContaining({ code: 'RL_CONFIG', message: expect.stringContaining(message) }),
    )
  })
})

describe('row 43: spellings of one name', () => {
  const spellings = [
    'jos\u00e9@example.org',
    'jose\u0301@example.org',
    'JOS\u00c9@Example.org',
    ' jos\u00e9@example.org ',
  ]

  it('are different users by default', () => {
    expect(new Set(spellings.map((id) => asked(id))).size).toBe(4)
  })

  it('are one where normalise says so', () => {
    expect(new Set(spellings.map((id) => asked(id, true)))).toEqual(new Set(['user:jos\u00e9@example.org']))
  })

  it('full-width letters and tags stay apart, unless a function of the application merges them', () => {
    expect(asked('\uff41', true)).not.toBe(asked('a', true))
    expect(asked('a+x@example.org', true)).not.toBe(asked('a@example.org', true))
    const own = (text: string) => text.normalize('NFKC').replace(/\+.*@/, '@')
    expect([asked('\uff41+x@example.org', own)]).toEqual(['user:a@example.org'])
  })

  it('B12: so for headers', () => {
    const key = byHeader('x-email', { normalise: true })
    const keys = ['A@example.org', 'a@example.org '].map((value) =>
      key({}, fakeRequest({ headers: { 'x-email': value } })),
    )
    expect(keys).toEqual(['a@example.org', 'a@example.org'])
  })

  it('what is normalised stays as it is when normalised again', () => {
    for (const text of ['\u0130', '\u212a', '\u1e9e', 'A\u030a', '\u03a3\u03a3', '\u01c5']) {
      const once = asked(text, true) as string
      expect(asked(once.slice('user:'.length), true)).toBe(once)
    }
  })

  it('row 42: a lone surrogate is no replacement character', () => {
    expect(toKey(asked('\ud800', true))).not.toBe(toKey(asked('\ufffd', true)))
  })

  it('a function that gives no text is an error', () => {
    expect(() => asked('a', () => undefined as unknown as string)).toThrow(
      expect.objectContaining({
        code: 'RL_KEY',
        message: expect.stringContaining('must give a text; got undefined'),
      }),
    )
  })

  it.each([
    ['marks in the wrong order', `a${'\u0315\u0300'.repeat(100_000)}`],
    ['marks of two classes', `a${'\u0315'.repeat(100_000)}${'\u0300'.repeat(100_000)}`],
    ['letters that grow', '\ufdfa'.repeat(300_000)],
    ['a megabyte', 'A'.repeat(1_000_000)],
  ])('row 40: a text of %s is no work for seconds', (_, text) => {
    const started = performance.now()
    expect(toKey(asked(text, true))).toMatch(/^#[\w-]{43}$/)
    expect(performance.now() - started).toBeLessThan(1000)
  })

  it('blanks do not make a text too long to be normalised', () => {
    expect(asked(`ADMIN${' '.repeat(100_000)}`, true)).toBe('user:admin')
  })
})
