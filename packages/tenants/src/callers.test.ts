import { describe, expect, it } from 'vitest'
import { fakeRequest } from '../../../test/support/fake-request.js'
import { Breath } from './breath.js'
import { Callers } from './callers.js'
import { type Snapshot, toSnapshot } from './snapshot.js'
import type { TenantsOptions } from './types.js'

const FILE = {
  default: 'free',
  plans: {
    free: { limit: '5/1m', profiles: { slow: '1/1h' } },
    pro: { limit: '600/1m', profiles: { batch: '5/1h', internal: null } },
    gold: { limit: '6000/1m' },
  },
  tenants: { acme: { plan: 'pro', keys: ['key-1', 'key-2'] }, beta: { plan: 'free', keys: ['key-3'] } },
}

async function callersOf(options: TenantsOptions = {}) {
  const state = { now: await toSnapshot(FILE, new Breath()) }
  return { state, callers: new Callers(() => state.now, options) }
}

async function asked(headers: Record<string, string>, options: TenantsOptions = {}) {
  const { callers } = await callersOf(options)
  const { key, limit, skip } = callers.rules()
  const view = fakeRequest({ headers })
  if (skip({}, view)) return 'skipped'
  const [policy] = limit({}, view) as readonly { readonly limit: number; readonly name: string }[]
  return `${String(await key({}, view))} ${policy?.limit}/${policy?.name}`
}

describe('who asks', () => {
  it.each([
    [{}, '203.0.113.9 5/1m'],
    [{ 'x-api-key': 'key-1' }, 'tenant:acme 600/1m'],
    [{ 'x-api-key': ' key-2 ' }, 'tenant:acme 600/1m'],
    [{ 'x-api-key': 'key-3' }, 'tenant:beta 5/1m'],
    [{ 'x-api-key': 'key-4' }, '203.0.113.9 5/1m'],
    [{ 'x-api-key': 'key-1, key-1' }, '203.0.113.9 5/1m'],
    [{ 'x-api-key': '' }, '203.0.113.9 5/1m'],
    [{ 'x-api-key': '__proto__' }, '203.0.113.9 5/1m'],
    [{ 'x-api-key': 'acme' }, '203.0.113.9 5/1m'],
  ])('%j: %s', async (headers, answer) => {
    expect(await asked(headers)).toBe(answer)
  })

  it('in authorization the key follows a scheme', async () => {
    const options = { header: 'Authorization' }
    expect(await asked({ authorization: 'Bearer key-1' }, options)).toBe('tenant:acme 600/1m')
    expect(await asked({ authorization: 'key-1' }, options)).toBe('203.0.113.9 5/1m')
  })

  it('what authentication has found comes first; where it found nothing that is known, the key decides', async () => {
    const tenant = (id: string | undefined) => ({ tenant: () => id })
    expect(await asked({ 'x-api-key': 'key-1' }, tenant('beta'))).toBe('tenant:beta 5/1m')
    expect(await asked({ 'x-api-key': 'key-1' }, tenant(undefined))).toBe('tenant:acme 600/1m')
    expect(await asked({ 'x-api-key': 'key-1' }, tenant('nobody'))).toBe('tenant:acme 600/1m')
  })
})

describe('profiles', () => {
  it.each([
    [{ 'x-api-key': 'key-1', 'config-profile': 'batch' }, 'tenant:batch/acme 5/1h'],
    [{ 'x-api-key': 'key-1', 'config-profile': 'internal' }, 'skipped'],
    [{ 'x-api-key': 'key-1', 'config-profile': 'nonsense' }, 'tenant:acme 600/1m'],
    [{ 'x-api-key': 'key-1', 'config-profile': 'slow' }, 'tenant:acme 600/1m'],
    [{ 'x-api-key': 'key-1', 'config-profile': '' }, 'tenant:acme 600/1m'],
    [{ 'x-api-key': 'key-1', 'config-profile': 'constructor' }, 'tenant:acme 600/1m'],
    [{ 'x-api-key': 'key-3', 'config-profile': 'internal' }, 'tenant:beta 5/1m'],
    [{ 'config-profile': 'internal' }, '203.0.113.9 5/1m'],
    [{ 'config-profile': 'slow' }, 'profile:slow/203.0.113.9 1/1h'],
  ])('%j: %s: only what the plan of the caller lists', async (headers, answer) => {
    expect(await asked(headers)).toBe(answer)
  })

  it('a profile without a limit that meets no skip is an error, never a limit made up', async () => {
    const { callers } = await callersOf()
    const view = fakeRequest({ headers: { 'x-api-key': 'key-1', 'config-profile': 'internal' } })
    expect(() => callers.rules().limit({}, view)).toThrow('profile "internal" of plan "pro" has no limit')
  })
})

describe('the key of a caller that is no tenant', () => {
  it.each([
    ['tenant:acme', 'other:tenant:acme'],
    ['profile:slow/x', 'other:profile:slow/x'],
    ['other:tenant:acme', 'other:other:tenant:acme'],
    ['plain', 'plain'],
    [42, 42],
    [undefined, undefined],
  ])('%j from the fallback is %j: nobody spends the quota of a tenant', async (given, key) => {
    for (const fallback of [() => given, async () => given]) {
      const { callers } = await callersOf({ fallback: fallback as never })
      expect(await callers.rules().key({}, fakeRequest())).toBe(key)
    }
  })

  it('a fallback that gives nothing gives nothing with a profile too', async () => {
    const { callers } = await callersOf({ fallback: () => undefined })
    const view = fakeRequest({ headers: { 'config-profile': 'slow' } })
    expect(await callers.rules().key({}, view)).toBeUndefined()
  })
})

describe('one request, one state of the file', () => {
  it('what is asked of a request after a reload is answered as before; the next request gets the new', async () => {
    const { callers, state } = await callersOf()
    const rules = callers.rules()
    const first = fakeRequest({ headers: { 'x-api-key': 'key-1' } })
    expect(rules.skip({}, first)).toBe(false)
    state.now = await upgraded()
    expect(await rules.key({}, first)).toBe('tenant:acme')
    expect(rules.limit({}, first)).toMatchObject([{ limit: 600 }])
    expect(callers.of(first.carrier)).toMatchObject({ tenant: 'acme', name: 'acme', plan: 'pro' })
    const second = fakeRequest({ headers: { 'x-api-key': 'key-1' } })
    expect(rules.limit({}, second)).toMatchObject([{ limit: 6000 }])
  })

  it('a request that nobody asked about has no caller yet', async () => {
    const { callers } = await callersOf()
    expect(callers.of({})).toBeUndefined()
  })
})

function upgraded(): Promise<Snapshot> {
  const tenants = { acme: { plan: 'gold', keys: ['key-1'] } }
  return toSnapshot({ ...FILE, tenants }, new Breath())
}
