import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { Breath } from './breath.js'
import { toSnapshot } from './snapshot.js'

const PLANS = {
  free: { limit: '60/1m' },
  pro: { limit: '600/1m', profiles: { batch: '5/1h', internal: null } },
}
const snapshotOf = (file: unknown) => toSnapshot(file, new Breath())
const withTenants = (tenants: unknown) => snapshotOf({ default: 'free', plans: PLANS, tenants })
const withLimit = (limit: unknown) => snapshotOf({ default: 'free', plans: { free: { limit } } })
const sha256 = (text: string) => `sha256:${createHash('sha256').update(text).digest('hex')}`

describe('what a file says', () => {
  it('a tenant has the plan that it names, its id for a name, and its keys, in clear or as hashes', async () => {
    const { find, nobody } = await withTenants({
      acme: { plan: 'pro', keys: ['key-1', sha256('key-2').toUpperCase().replace('SHA256', 'sha256')] },
      beta: { plan: 'free', name: 'Beta Ltd', keys: ['key-3'] },
    })
    expect(find('key-1')?.caller(undefined)).toMatchObject({ tenant: 'acme', name: 'acme', plan: 'pro' })
    expect(find('key-2')).toBe(find('key-1'))
    expect(find('key-3')?.caller(undefined)).toMatchObject({ tenant: 'beta', name: 'Beta Ltd', plan: 'free' })
    expect(find('key-4')).toBeUndefined()
    expect(nobody.caller(undefined)).toMatchObject({ tenant: undefined, name: 'default', plan: 'free' })
  })

  it('a hash is no key: who has read the file has no key', async () => {
    const { find } = await withTenants({ acme: { plan: 'pro', keys: [sha256('key-1')] } })
    expect(find(sha256('key-1'))).toBeUndefined()
    expect(find(sha256('key-1').slice(7))).toBeUndefined()
  })

  it('names that JavaScript knows are names like others', async () => {
    const { find } = await withTenants({ constructor: { plan: 'free', keys: ['toString'] } })
    expect(find('toString')?.tenant).toBe('constructor')
    expect(find('constructor')).toBeUndefined()
    await expect(withTenants({ a: { plan: 'toString' } })).rejects.toThrow('names no plan "toString"')
  })

  it.each([
    ['100/1m', [{ kind: 'sliding-window', limit: 100, windowMs: 60_000, name: '1m' }]],
    [
      { tokenBucket: { capacity: 20, refill: 5, per: '1s' } },
      [{ kind: 'token-bucket', limit: 20, refill: 5, windowMs: 1000 }],
    ],
    [
      { fixedWindow: { limit: 5, window: '1h', align: 'first-hit' } },
      [{ kind: 'fixed-window', align: 'first-hit' }],
    ],
    [{ slidingLog: { limit: 5, window: 500 } }, [{ kind: 'sliding-log', windowMs: 500 }]],
    [
      ['10/1s', { slidingWindow: { limit: 9, window: '1d' } }],
      [{ name: '1s' }, { name: '1d', limit: 9 }],
    ],
    [
      { burst: { tokenBucket: { capacity: 3, per: '1s' } }, daily: '9/1d' },
      [{ name: 'burst' }, { name: 'daily' }],
    ],
  ])('%j is a limit', async (limit, policies) => {
    const { nobody } = await withLimit(limit)
    expect(nobody.caller(undefined).limit).toMatchObject(policies)
  })
})

describe('what is refused, with its path', () => {
  it.each([
    [null, 'expected object, received null'],
    [[], 'expected object, received array'],
    [{ plans: PLANS }, 'default: is missing; it names the plan of all who are no tenant'],
    [
      { default: 'free', plans: PLANS, tenant: {} },
      'has a member that does not exist; they are default, plans and tenants; got "tenant"',
    ],
    [{ default: 'free' }, 'plans: is missing; it has a limit for each plan: "plans": { "free"'],
    [{ default: undefined, plans: PLANS }, 'default: expected string, received undefined'],
    [{ default: 'gold', plans: PLANS }, 'default: names no plan "gold"; plans are free, pro'],
    [{ default: 'free', plans: [] }, 'plans: expected an object with a member'],
    [{ default: 'free', plans: PLANS, tenants: 5 }, 'tenants: expected an object with a member'],
    [{ default: 'free', plans: { 'a/b': { limit: '1/1m' } } }, 'plans["a/b"]: is 1 to 64 of'],
    [
      { default: 'free', plans: { free: { limits: '1/1m' } } },
      'plans.free: has a member that does not exist; they are limit and profiles; got "limits"',
    ],
    [
      { default: 'free', plans: { free: { limit: '1/1m', profiles: { a: '0/x' } } } },
      'plans.free.profiles.a: has no unit "x"',
    ],
    [
      { default: 'free', plans: { free: { limit: '1/1m', profiles: ['a'] } } },
      'plans.free.profiles: expected an object with a member',
    ],
  ])('%j: %s', async (file, message) => {
    await expect(snapshotOf(file)).rejects.toThrow(message)
  })

  it.each([
    [undefined, 'plans.free.limit: takes "100/1m", {'],
    [null, 'plans.free.limit: takes'],
    [100, 'plans.free.limit: takes'],
    ['100', 'plans.free.limit: takes "<limit>/<window>"'],
    [[], 'plans.free.limit: takes 1 to 16 policies'],
    [{}, 'plans.free.limit: takes 1 to 16 policies'],
    [['1/1m', 5], 'plans.free.limit[1]: takes'],
    [{ daily: null }, 'plans.free.limit.daily: takes'],
    [{ daily: '-1/1d' }, 'plans.free.limit.daily: takes "<limit>/<window>"'],
    [
      { fixedWindow: { limit: -1, window: '1m' } },
      'plans.free.limit: fixedWindow: limit: must be a whole number from 0',
    ],
    [
      { b: { tokenBucket: { capacity: '5', per: '1s' } } },
      'plans.free.limit.b: tokenBucket: capacity: must be a whole number',
    ],
    [
      { tokenBucket: { capacity: 5, per: '1s', burst: 9 } },
      'plans.free.limit: tokenBucket: there is no option "burst"',
    ],
    [{ tokenBucket: { capacity: 5, per: '1s' }, daily: '9/1d' }, 'plans.free.limit: takes'],
    [{ tokenBucket: null }, 'plans.free.limit: tokenBucket: takes an object'],
    [{ kind: 'sliding-window', limit: 5, windowMs: 1000 }, 'plans.free.limit.limit: takes'],
    [['5/1m', '6/1m'], 'plans.free.limit: has two policies of one kind over 1m'],
    [{ 'a\nb': '5/1m' }, 'plans.free.limit: policy name: is 1 to 64'],
  ])('limit %j: %s', async (limit, message) => {
    await expect(withLimit(limit)).rejects.toThrow(message)
  })

  it.each([
    [{ acme: { keys: [] } }, 'tenants.acme.plan: is missing; it names one of the plans'],
    [{ acme: { plan: 'gold' } }, 'tenants.acme.plan: names no plan "gold"; plans are free, pro'],
    [
      { acme: { plan: 'pro', key: 'key-1' } },
      'tenants.acme: has a member that does not exist; they are plan, name and keys; got "key"',
    ],
    [{ acme: { plan: 'pro', keys: 'key-1' } }, 'tenants.acme.keys: expected array, received string'],
    [{ acme: { plan: 'pro', keys: [7] } }, 'tenants.acme.keys[0]: expected string, received number'],
    [
      { acme: { plan: 'pro', keys: ['a b'] } },
      'tenants.acme.keys[0]: must be 1 to 512 visible ASCII characters',
    ],
    [{ acme: { plan: 'pro', keys: [''] } }, 'tenants.acme.keys[0]: must be 1 to 512'],
    [
      { acme: { plan: 'pro', keys: ['sha256:abc'] } },
      'tenants.acme.keys[0]: must be sha256: and 64 hex digits, or a key in clear',
    ],
    [
      { acme: { plan: 'pro', keys: ['key-1', 'key-1'] } },
      'tenants.acme.keys[1]: is a key of tenants.acme already',
    ],
    [
      { acme: { plan: 'pro', keys: ['key-1'] }, beta: { plan: 'pro', keys: ['key-1'] } },
      'tenants.beta.keys[0]: is a key of tenants.acme already',
    ],
    [
      { acme: { plan: 'pro', keys: [sha256('key-1')] }, beta: { plan: 'pro', keys: ['x', 'key-1'] } },
      'tenants.beta.keys[1]: is in clear what tenants.acme has as a hash',
    ],
    [{ acme: { plan: 'pro', name: 'default' } }, 'tenants.acme.name: can\'t be "default"'],
    [{ default: { plan: 'pro' } }, 'tenants.default.name: can\'t be "default"'],
    [
      { acme: { plan: 'pro', name: 'beta' }, beta: { plan: 'pro' } },
      'tenants.beta.name: "beta" is the name of tenants.acme too; a tenant without a name has its id for one',
    ],
    [{ acme: { plan: 'pro', name: 'a"} 1\n' } }, 'tenants.acme.name: is 1 to 64'],
    [{ '\u001b[31m': { plan: 'pro' } }, 'tenants["\\u001b[31m"]: is 1 to 64'],
  ])('tenants %j: %s', async (tenants, message) => {
    await expect(withTenants(tenants)).rejects.toThrow(message)
  })

  it.each(
    [
      'sha-256:',
      'sha_256:',
      'sha256=',
      'sha256-',
      'sha256',
      'SHA-256:',
      'sha512:',
      'sha1:',
      'sha:',
      'sha256::',
    ].map((scheme) => scheme + 'ab'.repeat(32)),
  )('what is meant as a hash and is none: %s', async (key) => {
    const refused = withTenants({ acme: { plan: 'pro', keys: ['ok', key] } })
    await expect(refused).rejects.toThrow(
      'tenants.acme.keys[1]: must be sha256: and 64 hex digits, or a key in clear that begins otherwise; make a hash with',
    )
    await expect(refused).rejects.not.toThrow('abab')
  })

  it.each(['sha-key-1', 'shadow:1', 'sharing', 'x-sha256:1'])('%s is a key in clear', async (key) => {
    const { find } = await withTenants({ acme: { plan: 'pro', keys: [key] } })
    expect(find(key)?.tenant).toBe('acme')
  })

  it('a hash may be in capitals', async () => {
    const { find } = await withTenants({ acme: { plan: 'pro', keys: [sha256('key-1').toUpperCase()] } })
    expect(find('key-1')?.tenant).toBe('acme')
  })

  it('no key stands in a refusal', async () => {
    const twice = withTenants({ acme: { plan: 'pro', keys: ['key-secret', 'key-secret'] } })
    await expect(twice).rejects.not.toThrow('secret')
    const wrong = withTenants({ acme: { plan: 'pro', keys: ['key secret'] } })
    await expect(wrong).rejects.not.toThrow('secret')
  })
})
