import { createLimiter } from '@rl/core'
import { byApiKey, byCookie, byHeader, byIp, byUser, compose, type FromRequest, firstOf } from '@rl/core/http'
import { describe, expect, it } from 'vitest'
import { rawGet, send, sendRaw, type Target } from '../support/http-client.js'
import { limitAtNoon } from './at-noon.js'
import type { Mount, Serve } from './served.js'

const PEER = '127.0.0.1'
const silent = { warn: () => {}, error: () => {} }

/** The user that an authentication would have found: any text, as JSON in a header. */
const user: FromRequest<unknown, string> = (_ctx, view) => JSON.parse(view.header('x-user') ?? 'null')

export function describeKeys(serve: Serve): void {
  /** The keys of one request each, with these header lines. */
  async function keysOf(key: NonNullable<Mount['key']>, ...requests: readonly (readonly string[])[]) {
    const { target, results } = await serve({ app: [{ ...limitAtNoon(99), key, logger: silent }] })
    for (const lines of requests) await sendRaw(target, rawGet('/ok', ...lines))
    return results.map((result) => result?.key)
  }

  const as = (id: unknown) => [`X-User: ${JSON.stringify(id).replace(/[^ -~]/g, escaped)}`]

  async function statusesOf(target: Target, ...headers: readonly Readonly<Record<string, string>>[]) {
    const statuses = []
    for (const one of headers) statuses.push((await send(target, '/ok', { headers: one })).status)
    return statuses
  }

  describe('byUser', () => {
    it('counts a user under a key that no address and no header is', async () => {
      const key = firstOf(byUser(user), byHeader('x-tenant'), byIp())
      const requests = [as(42), as('42'), as(PEER), ['X-Tenant: user:42'], []]
      expect(await keysOf(key, ...requests)).toEqual(['user:42', 'user:42', `user:${PEER}`, '#user:42', PEER])
    })

    it.each([
      ['x', [1]],
      [true, {}],
      [0.5, '\u{1f600}'],
    ])('row 34: what is no id is an error of the application: %j, %j', async (...ids) => {
      const { target, errors } = await serve({ app: [{ ...limitAtNoon(9), key: byUser(user) }] })
      for (const id of ids) await sendRaw(target, rawGet('/ok', ...as(id)))
      const wrong = ids.filter((id) => typeof id !== 'string')
      expect(errors).toMatchObject(wrong.map(() => ({ code: 'RL_KEY' })))
    })

    it('row 42: a lone surrogate is no replacement character', async () => {
      expect(new Set(await keysOf(byUser(user), as('\ud800'), as('\ufffd'))).size).toBe(2)
    })

    const spellings = ['jos\u00e9', 'jose\u0301', 'JOS\u00c9', ' jos\u00e9 ', 'jos\uff45\u0301'].map(as)

    it('row 43: spellings are users of their own', async () => {
      expect(new Set(await keysOf(byUser(user), ...spellings)).size).toBe(5)
    })

    it('row 43: normalise makes one of those that differ in case, blanks and composition', async () => {
      const keys = await keysOf(byUser(user, { normalise: true }), ...spellings)
      expect(new Set(keys)).toEqual(new Set(['user:jos\u00e9', 'user:jos\uff45\u0301']))
    })

    it('row 46: one id in two tenants is two users', async () => {
      const key = compose(byHeader('x-tenant'), byUser(user))
      const { target } = await serve({ app: [{ ...limitAtNoon(1), key }] })
      const of = (tenant: string) => ({ 'x-tenant': tenant, 'x-user': '7' })
      expect(await statusesOf(target, of('a'), of('a'), of('b'), of('b'))).toEqual([200, 429, 200, 429])
    })
  })

  describe('byCookie', () => {
    const key = firstOf(byCookie('sid', { known: (value) => value.startsWith('s:') }), byIp())

    it('counts a session of yours by a hash, and any other by its address', async () => {
      const keys = await keysOf(
        key,
        ['Cookie: a=1; sid=s%3Aalice; b=2'],
        ['Cookie: sid="s:alice"'],
        ['Cookie: a=1', 'Cookie: sid=s:alice'],
        ['Cookie: sid=made-up'],
        ['Cookie: SID=s:alice'],
        ['X-Cookie: sid=s:alice'],
      )
      expect(keys.slice(0, 3)).toEqual([keys[0], keys[0], keys[0]])
      expect(keys[0]).toMatch(/^#cookie:[\w-]{43}$/)
      expect(keys.slice(3)).toEqual([PEER, PEER, PEER])
    })

    it.each([
      ['3000 cookies', `${'a=1; '.repeat(3000)}sid=s:a`],
      ['12 KiB of one', `sid=s:${'x'.repeat(12_000)}`],
      ['names of Object.prototype', '__proto__=s:a; constructor=s:a; toString'],
      ['bytes of Latin-1', 'sid=s:\xe9\xff'],
      ['broken encoding', 'sid=s:%zz%'],
    ])('is not upset by %s', async (_, cookie) => {
      const { target, errors, results } = await serve({ app: [{ ...limitAtNoon(9), key }] })
      expect(await sendRaw(target, rawGet('/ok', `Cookie: ${cookie}`))).toMatch(/^HTTP\/1\.1 200 /)
      expect([errors, results]).toMatchObject([[], [{ allowed: true }]])
    })
  })

  describe('byApiKey', () => {
    const known = (secret: string) => secret !== 'unknown'

    it('B10: keys that begin alike are two subjects', async () => {
      const { target } = await serve({ app: [{ ...limitAtNoon(1), key: byApiKey({ known }) }] })
      const of = (key: string) => ({ 'x-api-key': `rl_live_${key.repeat(8)}` })
      expect(await statusesOf(target, of('A'), of('B'), of('A'), of('B'))).toEqual([200, 200, 429, 429])
    })

    it('B11, B12: a credential is one however its scheme is spelt, and is no part of the key', async () => {
      const lines = ['Bearer k-secret', 'bearer  k-secret', 'Bearer k-secret '].map((value) => [
        `Authorization: ${value}`,
      ])
      const keys = await keysOf(byApiKey({ header: 'authorization', known }), ...lines)
      expect(new Set(keys).size).toBe(1)
      expect(keys[0]).toMatch(/^#[\w-]{43}$/)
    })

    it('row 48: an empty key, a missing one and one that is not known are anonymous', async () => {
      const key = firstOf(byApiKey({ known }), () => 'anonymous')
      const requests = [[], ['X-API-Key:'], ['X-API-Key:   '], ['X-API-Key: unknown']]
      expect(await keysOf(key, ...requests)).toEqual(['anonymous', 'anonymous', 'anonymous', 'anonymous'])
    })
  })

  it('B12: byHeader normalises where it is told to', async () => {
    const requests = ['A@example.org', 'a@Example.org '].map((value) => [`X-Email: ${value}`])
    expect(await keysOf(byHeader('x-email', { normalise: true }), ...requests)).toEqual([
      'a@example.org',
      'a@example.org',
    ])
  })

  it('B15: a key that is reset begins anew', async () => {
    const limiter = createLimiter(limitAtNoon(1))
    const { target } = await serve({ app: [{ limiter, key: byUser(user) }] })
    const alice = { 'x-user': '"alice"' }
    const before = await statusesOf(target, alice, alice)
    await limiter.reset('user:alice')
    expect([...before, ...(await statusesOf(target, alice))]).toEqual([200, 429, 200])
  })
}

function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
}
