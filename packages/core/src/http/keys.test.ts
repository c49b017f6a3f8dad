import { describe, expect, it, vi } from 'vitest'
import { fakeRequest } from '../../../../test/support/fake-request.js'
import { toKey } from '../model/key.js'
import { byHeader, byIp, byRoute, firstOf, type KeyFunction } from './keys.js'

const keyOf = (key: KeyFunction, headers: Readonly<Record<string, string>> = {}) =>
  key({}, fakeRequest({ headers }))

describe('byIp', () => {
  it('is the address of the peer, whatever a header says', () => {
    const logger = { warn: vi.fn(), error: vi.fn() }
    expect(keyOf(byIp({ logger }), { 'x-forwarded-for': '198.51.100.7' })).toBe('203.0.113.9')
  })

  it('is the address in the header of a trusted proxy', () => {
    const key = byIp({ trust: ['203.0.113.0/24'] })
    expect(keyOf(key, { 'x-forwarded-for': '198.51.100.7' })).toBe('198.51.100.7')
  })
})

describe('byHeader', () => {
  it.each([
    ['acme', 'acme'],
    [' acme ', 'acme'],
    ['ACME', 'ACME'],
    ['#acme', '##acme'],
    ['', undefined],
    ['   ', undefined],
  ])('gives the trimmed value: %j is %j', (value, key) => {
    expect(keyOf(byHeader('X-Tenant'), { 'x-tenant': value })).toBe(key)
  })

  it('gives nothing where the header is missing', () => {
    expect(keyOf(byHeader('x-tenant'))).toBeUndefined()
  })

  it.each([[''], ['a b'], ['x:y'], ['naïve'], [undefined], [7], ['x'.repeat(129)]])(
    'refuses the name %j',
    (name) => {
      expect(() => byHeader(name as string)).toThrow(
        expect.objectContaining({
          code: 'RL_CONFIG',
          message: expect.stringContaining('byHeader: takes the name of a header field; got '),
        }),
      )
    },
  )
})

describe('byRoute', () => {
  it('is the template of the route', () => {
    expect(byRoute()({}, fakeRequest({ route: '/users/:id' }))).toBe('/users/:id')
  })

  it('is an error where no route has matched', () => {
    expect(() => byRoute()({}, fakeRequest())).toThrow(
      expect.objectContaining({
        code: 'RL_KEY',
        message: expect.stringContaining('attach the limiter to the route'),
      }),
    )
  })
})

describe('firstOf', () => {
  const none: KeyFunction = () => undefined
  const late: KeyFunction = () => Promise.resolve(undefined)

  it.each<[string, readonly KeyFunction[], unknown]>([
    ['the first', [() => 'a', () => 'b'], 'a'],
    ['the second where the first gives nothing', [none, () => 'b'], 'b'],
    ['0, which is a key', [() => 0, () => 'b'], 0],
    ['nothing where none gives one', [none, none], undefined],
  ])('gives %s', (_, choices, key) => {
    expect(keyOf(firstOf(...choices))).toBe(key)
  })

  it('waits only for choices that are promises', async () => {
    const key = keyOf(firstOf(late, () => 'b'))
    expect(key).toBeInstanceOf(Promise)
    await expect(key).resolves.toBe('b')
  })

  it('does not ask further once there is a key', () => {
    const second = vi.fn<KeyFunction>(() => 'b')
    expect(keyOf(firstOf(() => 'a', second))).toBe('a')
    expect(second).not.toHaveBeenCalled()
  })

  it('5.2 row 48: an empty header and a missing one are both anonymous, never a bucket called "undefined"', () => {
    const key = firstOf(byHeader('x-tenant'), () => 'anonymous')
    expect([keyOf(key, { 'x-tenant': '' }), keyOf(key)]).toEqual(['anonymous', 'anonymous'])
  })

  it.each([[[]], [[undefined]], [['x-tenant']], [[() => 'a', null]]])('refuses %j', (choices) => {
    expect(() => firstOf(...(choices as KeyFunction[]))).toThrow(
      expect.objectContaining({
        code: 'RL_CONFIG',
        message: expect.stringContaining('firstOf: takes key functions, at least one; got '),
      }),
    )
  })
})

it('5.2 row 39: names of Object.prototype are keys like others', () => {
  const keys = ['__proto__', 'constructor', 'hasOwnProperty', 'toString'].map((value) =>
    toKey(keyOf(byHeader('x-user'), { 'x-user': value })),
  )
  expect(keys).toEqual(['__proto__', 'constructor', 'hasOwnProperty', 'toString'])
})
