import { describe, expect, it, vi } from 'vitest'
import { fakeRequest } from '../../../../test/support/fake-request.js'
import { toKey } from '../model/key.js'
import { byApiKey } from './by-secret.js'
import { byHeader, firstOf, type KeyFunction } from './keys.js'

const asked = (key: KeyFunction, value: string | undefined, header = 'x-api-key') =>
  key({}, fakeRequest({ headers: value === undefined ? {} : { [header]: value } }))

const yes = (): boolean => true
const all = byApiKey({ known: yes })
const bearer = byApiKey({ header: 'Authorization', known: (key) => key === 'k1' })

describe('byApiKey', () => {
  it('gives a hash, so that the key itself reaches no store', () => {
    // printf 'k1' | iconv -t utf-16be | sha256sum, as base64url
    expect(asked(all, 'k1')).toBe('#vcfQKcgzGsTXuedICE9n0LGPk1W_AYkNcm9CMabPtOw')
  })

  it('B11: the hash has nothing of the key in it, and is the same each time', () => {
    const key = asked(all, 'secret-123')
    expect(key).toMatch(/^#[\w-]{43}$/)
    expect(key).toBe(asked(all, 'secret-123'))
  })

  it('hashes with HMAC where a secret is given', () => {
    const secret = byApiKey({ known: yes, hashSecret: 'pepper' })
    expect(asked(secret, 'k1')).toBe('#KBcQObdKPa-s337P8XLQnl5TGsLiKL2qwxYDpnZRja4')
  })

  it('B10: keys that begin alike are different keys', () => {
    expect(asked(all, 'rl_live_AAAAAAAA')).not.toBe(asked(all, 'rl_live_BBBBBBBB'))
  })

  it('B10: so are keys of 4 KiB that differ in the last byte, and what is stored stays short', () => {
    const [a, b] = [asked(all, `${'x'.repeat(4095)}a`), asked(all, `${'x'.repeat(4095)}b`)]
    expect(a).not.toBe(b)
    expect(a).toHaveLength(44)
  })

  it('gives nothing for a key that is not known, so that no made-up key is a fresh quota', () => {
    expect(asked(byApiKey({ known: () => false }), 'made-up')).toBeUndefined()
    expect(
      asked(
        firstOf(byApiKey({ known: () => false }), () => 'anonymous'),
        'made-up',
      ),
    ).toBe('anonymous')
  })

  it('5.2 row 48: asks about no empty and no missing key', () => {
    const known = vi.fn(() => true)
    const key = byApiKey({ known })
    expect([asked(key, undefined), asked(key, ''), asked(key, '  ')]).toEqual([
      undefined,
      undefined,
      undefined,
    ])
    expect(known).not.toHaveBeenCalled()
  })

  it('tells known the key and the context', () => {
    const known = vi.fn(() => true)
    const request = fakeRequest({ headers: { 'x-api-key': ' k1 ' } })
    expect(byApiKey({ known })({ tenant: 'acme' }, request)).toBe(asked(all, 'k1'))
    expect(known).toHaveBeenCalledWith('k1', { tenant: 'acme' })
  })

  it('waits for known only where it gives a promise', async () => {
    const late = asked(byApiKey({ known: () => Promise.resolve(true) }), 'k1')
    expect(late).toBeInstanceOf(Promise)
    await expect(late).resolves.toBe(asked(all, 'k1'))
    await expect(asked(byApiKey({ known: () => Promise.resolve(false) }), 'k1')).resolves.toBeUndefined()
  })

  it('leaves an error of known to the framework', () => {
    const key = byApiKey({
      known: () => {
        throw new Error('db down')
      },
    })
    expect(() => asked(key, 'k1')).toThrow('db down')
  })
})

describe('B12: credentials in Authorization', () => {
  const k1 = asked(all, 'k1')

  it.each(['Bearer k1', 'bearer  k1', 'Bearer k1 ', '  BEARER k1', 'ApiKey k1'])('%j is k1', (value) => {
    expect(asked(bearer, value, 'authorization')).toBe(k1)
  })

  it.each(['k1', 'Bearer', 'Bearer ', 'Bearer K1', 'Bear(er k1', 'Bearer k1 k2', ''])(
    '%j is not',
    (value) => {
      expect(asked(bearer, value, 'authorization')).toBeUndefined()
    },
  )

  it('a header of any length is read at once', () => {
    expect(asked(bearer, `Bearer ${' '.repeat(100_000)}`, 'authorization')).toBeUndefined()
  })
})

describe('a hash is never a literal key', () => {
  it('of a header', () => {
    const hash = asked(all, 'k1') as string
    expect(toKey(asked(byHeader('x-tenant'), hash, 'x-tenant'))).not.toBe(toKey(hash))
  })
})

describe('options are checked at construction', () => {
  it.each([
    [undefined, 'byApiKey: takes an object of options; got undefined'],
    [{}, 'byApiKey: known: is a function (key, ctx) => boolean; got undefined'],
    [{ known: true }, 'byApiKey: known: is a function (key, ctx) => boolean; got true'],
    [{ known: yes, header: 'x y' }, 'byApiKey: header: takes the name of a header field; got "x y"'],
    [{ known: yes, secret: 's' }, 'byApiKey: there is no option "secret".'],
    [{ known: yes, hashSecret: '' }, 'byApiKey: hashSecret: takes a text that is not empty'],
    [{ known: yes, hashSecret: 12345 }, 'byApiKey: hashSecret: takes a text that is not empty'],
    [{ known: yes, hashSecret: Buffer.from('s') }, 'byApiKey: hashSecret: takes a text that is not empty'],
  ])('%o', (options, message) => {
    expect(() => byApiKey(options as Parameters<typeof byApiKey>[0])).toThrow(
      expect.objectContaining({ code: 'RL_CONFIG', message: expect.stringContaining(message) }),
    )
  })

  it('a secret that was refused is not shown', () => {
    expect(() => byApiKey({ known: yes, hashSecret: 12345 as unknown as string })).not.toThrow('12345')
  })
})
