import { describe, expect, it, vi } from 'vitest'
import { fakeRequest } from '../../../../test/support/fake-request.js'
import { byApiKey, byCookie, type SecretOptions } from './by-secret.js'
import { firstOf, type KeyFunction } from './keys.js'

const known = (): boolean => true
const asked = (key: KeyFunction, cookie?: string) =>
  key({}, fakeRequest({ headers: cookie === undefined ? {} : { cookie } }))

describe('byCookie', () => {
  it('gives a hash, the same each time, with nothing of the value in it', () => {
    const key = asked(byCookie('sid', { known }), 'sid=secret-123')
    // printf 'sid=secret-123' | iconv -t utf-16be | sha256sum, as base64url
    expect(key).toBe('#cookie:XBSiuZb7-XfRjJ8Gyx_Qy5yF2KiNaP23C3vypmVaMhc')
    expect(key).toBe(asked(byCookie('sid', { known }), 'a=1; sid="secret-123"'))
    expect(key).not.toContain('secret')
  })

  it('hashes with HMAC where a secret is given', () => {
    const plain = asked(byCookie('sid', { known }), 'sid=a')
    expect(asked(byCookie('sid', { known, hashSecret: 'pepper' }), 'sid=a')).not.toBe(plain)
  })

  it('is another subject than an API key, or another cookie, of the same text', () => {
    const request = fakeRequest({ headers: { cookie: 'sid=k1; sid2=k1', 'x-api-key': 'k1' } })
    const keys = [byCookie('sid', { known }), byCookie('sid2', { known }), byApiKey({ known })]
    expect(new Set(keys.map((key) => key({}, request))).size).toBe(3)
  })

  it('gives nothing for one that is not known, so that no made-up cookie is a fresh quota', () => {
    const key = byCookie('sid', { known: () => false })
    expect(asked(key, 'sid=made-up')).toBeUndefined()
    expect(
      asked(
        firstOf(key, () => 'anonymous'),
        'sid=made-up',
      ),
    ).toBe('anonymous')
  })

  it.each([[undefined], ['a=1'], ['sid='], ['sid=""'], ['sid'], [`sid=${'x'.repeat(5000)}`]])(
    'row 48: asks about no empty, missing or endless cookie: %.20j',
    (cookie) => {
      const ask = vi.fn(known)
      expect(asked(byCookie('sid', { known: ask }), cookie)).toBeUndefined()
      expect(ask).not.toHaveBeenCalled()
    },
  )

  it('tells known the decoded value and the context, and waits for it', async () => {
    const ask = vi.fn(() => Promise.resolve(true))
    const key = byCookie('sid', { known: ask })(
      { tenant: 'acme' },
      fakeRequest({ headers: { cookie: 'sid=s%3Aa' } }),
    )
    await expect(key).resolves.toMatch(/^#cookie:/)
    expect(ask).toHaveBeenCalledWith('s:a', { tenant: 'acme' })
  })

  it.each([[1], ['true'], [{}], [undefined]])('takes no %o of known for a yes', (answer) => {
    expect(asked(byCookie('sid', { known: () => answer as boolean }), 'sid=a')).toBeUndefined()
  })

  it.each<[name: unknown, options: unknown, message: string]>([
    ['', { known }, 'byCookie: takes the name of a cookie; got ""'],
    ['a b', { known }, 'byCookie: takes the name of a cookie'],
    ['a=b', { known }, 'byCookie: takes the name of a cookie'],
    [7, { known }, 'byCookie: takes the name of a cookie'],
    ['sid', undefined, 'byCookie: takes an object of options'],
    ['sid', {}, 'byCookie: known: is a function (key, ctx) => boolean; got undefined'],
    ['sid', { known, header: 'x' }, 'byCookie: there is no option "header".'],
    ['sid', { known, hashSecret: '' }, 'byCookie: hashSecret: takes a text that is not empty'],
  ])('refuses %j with %o', (name, options, message) => {
    expect(() => byCookie(name as string, options as SecretOptions<unknown>)).toThrow(
      expect.objectContaining({ code: 'RL_CONFIG', message: expect.stringContaining(message) }),
    )
  })
})
