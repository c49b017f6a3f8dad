import { describe, expect, it, vi } from 'vitest'
import { fakeRequest } from '../../../../test/support/fake-request.js'
import { createGuard } from './guard.js'
import type { GuardOptions } from './guard-options.js'
import { byHeader, byIp, compose, firstOf } from './keys.js'
import type { Verdict } from './verdict.js'

type Options = Partial<GuardOptions<unknown>>

/** Counts nothing that it should not: a store that must not be asked. */
const untouched = () => ({
  consume: vi.fn(() => {
    throw new Error('asked')
  }),
  settle: () => undefined,
  reset: () => undefined,
  close: () => undefined,
})

const silent = { warn: () => {}, error: () => {} }

/** What a limit of none makes of a request: `429` unless a list says otherwise. */
function statusOf(options: Options, request: Parameters<typeof fakeRequest>[0] = {}): number | string {
  const guard = createGuard<unknown>({ limit: '0/1m', logger: silent, ...options })
  const verdict = guard.check(fakeRequest(request), {}) as Verdict
  return verdict.allowed ? `${verdict.result?.reason}` : verdict.status
}

const xff = (list: string) => ({ headers: { 'x-forwarded-for': list } })

describe('allow', () => {
  it('lets pass uncounted, without fields, and asks no store', () => {
    const store = untouched()
    const guard = createGuard({ limit: '1/1m', store, allow: { ips: '203.0.113.0/24' } })
    expect(guard.check(fakeRequest(), {})).toMatchObject({
      allowed: true,
      headers: [],
      result: {
        counted: false,
        allowed: true,
        source: 'none',
        reason: 'exempt',
        limiter: 'default',
        key: undefined,
      },
    })
    expect(store.consume).not.toHaveBeenCalled()
  })

  it.each<[list: string, peer: string, status: number | string]>([
    ['2001:0DB8::1', '2001:db8:0:0::1', 'exempt'],
    ['10.0.0.0/8', '::ffff:10.1.1.1', 'exempt'],
    ['10.0.0.0/8', '::ffff:a01:101', 'exempt'],
    ['::1', '::1', 'exempt'],
    ['loopback', '127.0.0.9', 'exempt'],
    ['10.0.0.0/8', '11.0.0.1', 429],
    ['::/0', '10.1.1.1', 429],
    ['2001:db8::/32', '2001:db9::1', 429],
  ])('row 35: %s and %s: %s', (ips, peer, status) => {
    expect(statusOf({ allow: { ips: [ips] } }, { peer })).toBe(status)
  })

  it('goes by the address that byIp in key finds, also inside firstOf and compose', () => {
    const ip = byIp({ trust: '203.0.113.9' })
    const allow = { ips: '198.51.100.7' }
    for (const key of [ip, firstOf(byHeader('x-tenant'), ip), compose(ip, () => 'a')]) {
      expect(statusOf({ key, allow }, xff('198.51.100.7'))).toBe('exempt')
      expect(statusOf({ key, allow }, xff('198.51.100.7, 198.51.100.8'))).toBe(429)
    }
  })

  it('goes by address, where that is given', () => {
    const options: Options = {
      key: () => 'a',
      address: byIp({ trust: '203.0.113.9' }),
      allow: { ips: '198.51.100.7' },
    }
    expect(statusOf(options, xff('198.51.100.7'))).toBe('exempt')
    expect(statusOf(options, xff('6.6.6.6'))).toBe(429)
  })

  it.each<[string, Parameters<typeof fakeRequest>[0]]>([
    ['a trusted proxy that names nobody', { peer: '10.0.0.2' }],
    ['a trusted proxy with a header that can’t be read', { peer: '10.0.0.2', ...xff('unknown') }],
    ['trusted hops all the way', { peer: '10.0.0.2', ...xff('10.0.0.3') }],
    ['a forwarded loopback address that is a hop', { peer: '10.0.0.2', ...xff('127.0.0.1, 10.0.0.9') }],
  ])('row 18: is not reached by %s', (_, request) => {
    const key = byIp({ trust: ['10.0.0.0/8', 'loopback'], logger: silent })
    expect(statusOf({ key, allow: { ips: ['10.0.0.0/8', 'loopback'] } }, request)).toBe(429)
  })

  it('row 18: nor by a count of hops that are too few', () => {
    const key = byIp({ trust: { hops: 2, peers: '10.0.0.0/8' }, logger: silent })
    const allow = { ips: ['private'] }
    expect(statusOf({ key, allow }, { peer: '10.0.0.2', ...xff('192.168.0.1') })).toBe(429)
    expect(statusOf({ key, allow }, { peer: '10.0.0.2', ...xff('192.168.0.1, 192.168.0.2') })).toBe('exempt')
  })

  it('nor by a peer that may be a proxy, as there is a header and no trust', () => {
    const allow = { ips: 'private' }
    expect(statusOf({ allow }, { peer: '10.0.0.2' })).toBe('exempt')
    expect(statusOf({ allow }, { peer: '10.0.0.2', ...xff('6.6.6.6') })).toBe(429)
    expect(statusOf({ key: byIp({ trust: [] }), allow }, { peer: '10.0.0.2', ...xff('6.6.6.6') })).toBe(
      'exempt',
    )
  })

  it('nor by a connection without an address', () => {
    expect(statusOf({ allow: { ips: ['0.0.0.0/0', '::/0'] } }, { peer: undefined })).toBe(429)
  })

  it.each<[Options['allow'], number | string]>([
    [{ keys: ['user:42', 7] }, 'exempt'],
    [{ keys: ['user:4', 'user:421'] }, 429],
    [{ keys: [] }, 429],
    [{ when: () => true }, 'exempt'],
    [{ when: () => false, keys: ['user:42'] }, 'exempt'],
    [() => true, 'exempt'],
    [() => false, 429],
  ])('by key and by function: %o is %s', (allow, status) => {
    expect(statusOf({ key: () => 'user:42', allow })).toBe(status)
  })

  it('1 and "1" are one key, and a long one is found by its hash', () => {
    expect(statusOf({ key: () => 1, allow: { keys: ['1'] } })).toBe('exempt')
    const long = 'x'.repeat(1000)
    expect(statusOf({ key: () => long, allow: { keys: [long] } })).toBe('exempt')
  })

  it('warns of a list with everyone on it', () => {
    const logger = { warn: vi.fn(), error: vi.fn() }
    createGuard({ limit: '1/1m', allow: { ips: ['0.0.0.0/0', '10.0.0.1'] }, logger })
    expect(logger.warn.mock.calls).toEqual([
      ['allow.ips: "0.0.0.0/0" is every address of its kind: nobody is limited.'],
    ])
  })
})

describe('deny', () => {
  it('refuses at once with 403 and no field, and asks no store', () => {
    const store = untouched()
    const guard = createGuard({ limit: '9/1m', store, deny: { ips: '203.0.113.9' } })
    expect(guard.check(fakeRequest(), {})).toMatchObject({
      allowed: false,
      status: 403,
      type: 'application/problem+json',
      body:
        '{"type":"about:blank","title":"Forbidden","status":403,' +
        '"detail":"Requests of this client are not served."}',
      headers: [['Cache-Control', 'no-store']],
      result: {
        counted: false,
        allowed: false,
        source: 'none',
        reason: 'denied',
        limiter: 'default',
        key: undefined,
      },
    })
    expect(store.consume).not.toHaveBeenCalled()
  })

  it('answers 429 where that is asked for, without Retry-After', () => {
    const guard = createGuard({ limit: '9/1m', deny: { when: () => true, status: 429 } })
    expect(guard.check(fakeRequest({ headers: { accept: 'text/plain' } }), {})).toMatchObject({
      status: 429,
      type: 'text/plain; charset=utf-8',
      body: 'Abnormal usage detected. Requests of this client are not served.\n',
      headers: [['Cache-Control', 'no-store']],
    })
  })

  it('counts where no list names the request', () => {
    const options: Options = {
      limit: '9/1m',
      allow: { ips: '10.0.0.1' },
      deny: { ips: '10.0.0.2', keys: ['a'] },
    }
    expect(statusOf(options)).toBe('ok')
  })

  it.each<[string, Options]>([
    ['address', { allow: { ips: '203.0.113.9' }, deny: { ips: '203.0.113.0/24' } }],
    ['function', { allow: () => true, deny: () => true }],
    ['key', { key: () => 'a', allow: { keys: ['a'] }, deny: { keys: ['a'] } }],
    [
      'key, allowed by address',
      { key: firstOf(() => 'a', byIp()), allow: { ips: '203.0.113.9' }, deny: { keys: ['a'] } },
    ],
    ['key, allowed by function', { key: () => 'a', allow: () => true, deny: { keys: ['a'] } }],
    ['address, although it is skipped', { skip: () => true, deny: { ips: '203.0.113.9' } }],
  ])('wins over allow and skip: by %s', (_, options) => {
    expect(statusOf(options)).toBe(403)
  })

  it('with keys, who is allowed and has no key passes', () => {
    expect(statusOf({ key: () => undefined, allow: () => true, deny: { keys: ['a'] } })).toBe('exempt')
  })

  it('is off with the limiter', () => {
    const guard = createGuard({ limit: '0/1m', enabled: false, deny: () => true })
    expect(guard.check(fakeRequest(), {})).toMatchObject({ allowed: true })
  })

  it('waits for promises', async () => {
    const guard = createGuard({
      limit: '9/1m',
      key: () => Promise.resolve('a'),
      allow: () => Promise.resolve(true),
      deny: { when: () => Promise.resolve(false), keys: ['a'] },
    })
    await expect(guard.check(fakeRequest(), {})).resolves.toMatchObject({ status: 403 })
  })

  it('of ten thousand ranges takes no longer than of ten, by far', () => {
    const many = Array.from({ length: 10_000 }, (_, i) => `10.${i >> 8}.${i & 255}.0/24`)
    const guard = createGuard({ limit: '1/1m', allow: { ips: [...many, '203.0.113.9'] } })
    const started = performance.now()
    const check = () => expect(guard.check(fakeRequest(), {})).toMatchObject({ allowed: true })
    for (let i = 0; i < 1000; i++) check()
    expect(performance.now() - started).toBeLessThan(1000)
  })
})

describe('a list function that does not answer is an error, never a pass', () => {
  it.each<[keyof Options, unknown]>([
    ['allow', undefined],
    ['allow', 1],
    ['allow', 'no'],
    ['deny', undefined],
    ['deny', 0],
  ])('%s: %o', (name, answer) => {
    expect(() => statusOf({ [name]: () => answer })).toThrow(
      expect.objectContaining({
        code: 'RL_CONFIG',
        message: expect.stringContaining(`${name}: must give true or false`),
      }),
    )
  })

  it('nor one that throws', () => {
    const deny = () => {
      throw new Error('of the list')
    }
    expect(() => statusOf({ deny, allow: () => true })).toThrow('of the list')
  })
})

describe('lists are checked at construction', () => {
  it.each<[unknown, string]>([
    [{ allow: { ips: ['10.0.0.0/33'] } }, 'allow.ips: takes addresses, ranges'],
    [{ allow: { ips: ['not-an-ip'] } }, 'allow.ips: takes addresses, ranges'],
    [{ allow: { ips: [undefined] } }, 'allow.ips: takes addresses, ranges'],
    [{ deny: { ips: true } }, 'deny.ips: takes addresses, ranges'],
    [{ allow: { keys: 'user:42' } }, 'allow.keys: takes keys as an array; got "user:42"'],
    [{ deny: { keys: [''] } }, 'deny.keys: takes non-empty strings, safe integers and bigints; got ""'],
    [{ deny: { keys: [0.5] } }, 'deny.keys: takes non-empty strings, safe integers and bigints; got 0.5'],
    [{ deny: { status: 200 } }, 'deny.status: is 403 or 429; got 200'],
    [{ allow: { status: 403 } }, 'allow: there is no option "status"'],
    [{ allow: { ip: '10.0.0.1' } }, 'allow: there is no option "ip". Did you mean "ips"?'],
    [{ allow: ['10.0.0.1'] }, 'allow: takes an object of options; got an array of 1'],
    [{ allow: '10.0.0.1' }, 'allow: takes an object of options; got "10.0.0.1"'],
    [{ deny: null }, 'deny: takes an object of options'],
    [{ allow: { when: true } }, 'allow.when: takes a function; got true'],
    [{ key: () => 'a', allow: { ips: 'private' } }, 'ips: need address: byIp(…)'],
    [{ address: () => '10.0.0.1', allow: { ips: 'private' } }, 'address: takes byIp(…); got a function'],
    [{ address: '10.0.0.1' }, 'address: takes byIp(…); got "10.0.0.1"'],
  ])('%o', (options, message) => {
    expect(() => createGuard({ limit: '1/1m', ...(options as Options) })).toThrow(
      expect.objectContaining({ code: 'RL_CONFIG', message: expect.stringContaining(message) }),
    )
  })
})
