import { describe, expect, it } from 'vitest'
import { fakeRequest } from '../../../../test/support/fake-request.js'
import { memoryStore } from '../memory/memory-store.js'
import { createGuard } from './guard.js'
import type { GuardOptions } from './guard-options.js'

const store = () => memoryStore({ clock: () => 1_700_000_040_000 })
const FUNCTIONS = ['enabled', 'skip', 'key', 'limit', 'cost'] as const
type FunctionName = (typeof FUNCTIONS)[number]

/** What each may give, and what then comes of a request against 10 a minute. */
const good: readonly [name: FunctionName, value: unknown, verdict: object][] = [
  ['enabled', true, { allowed: true, result: { remaining: 9 } }],
  ['enabled', false, { allowed: true, headers: [], result: undefined }],
  ['skip', false, { allowed: true, result: { remaining: 9 } }],
  [
    'skip',
    true,
    { allowed: true, headers: [], result: { counted: false, reason: 'skipped', key: undefined } },
  ],
  ['key', 'user-1', { result: { key: 'user-1', remaining: 9 } }],
  ['key', 7, { result: { key: 7 } }],
  ['key', 0, { result: { key: 0 } }],
  ['key', 12345678901234567890n, { result: { key: 12345678901234567890n } }],
  ['limit', '3/1m', { result: { limit: 3, remaining: 2 } }],
  ['limit', { burst: '2/1s', daily: '50/1d' }, { result: { policy: 'burst', remaining: 1 } }],
  ['limit', '0/1m', { allowed: false, status: 429, result: { reason: 'never', retryAfterMs: null } }],
  ['cost', 4, { result: { cost: 4, remaining: 6 } }],
  ['cost', 0, { result: { cost: 0, remaining: 10 } }],
  ['cost', { '1m': 3 }, { result: { cost: 3, remaining: 7 } }],
  ['cost', 11, { allowed: false, result: { reason: 'never', remaining: 10 } }],
]

/** What each may not give, as a function in JavaScript may all the same. */
const bad: readonly [name: FunctionName, code: string, values: readonly unknown[]][] = [
  ['enabled', 'RL_CONFIG', [undefined, null, 1, 0, 'yes', '', {}]],
  ['skip', 'RL_CONFIG', [undefined, null, 1, 0, 'no', '', {}]],
  ['key', 'RL_KEY', [undefined, null, '', 0.5, Number.NaN, 2 ** 53, {}, ['a'], Symbol('s'), true, () => 'a']],
  ['limit', 'RL_CONFIG', [undefined, null, Number.NaN, 10, '', 'abc', '-1/1m', {}, [], Symbol('s'), true]],
  [
    'cost',
    'RL_COST',
    [undefined, null, '1', Number.NaN, -1, 0.5, Number.POSITIVE_INFINITY, [1], {}, { '1h': 1 }],
  ],
]

const guardWith = (name: FunctionName, value: () => unknown) =>
  createGuard<unknown>({ limit: '10/1m', store: store(), [name]: value } as GuardOptions<unknown>)

describe('a function that gives a value at once needs no promise', () => {
  it.each(good)('%s: %o', (name, value, verdict) => {
    expect(guardWith(name, () => value).check(fakeRequest(), {})).toMatchObject(verdict)
  })
})

describe('a function that gives a promise is waited for', () => {
  it.each(good)('%s: %o', async (name, value, expected) => {
    const verdict = guardWith(name, () => Promise.resolve(value)).check(fakeRequest(), {})
    expect(verdict).toBeInstanceOf(Promise)
    await expect(verdict).resolves.toMatchObject(expected)
  })
})

describe('anything else is an error, and nothing is charged', () => {
  const cases = bad.flatMap(([name, code, values]) => values.map((value) => [name, code, value] as const))

  it.each(cases)('%s: %s for %o', (name, code, value) => {
    const guard = guardWith(name, () => value)
    expect(() => guard.check(fakeRequest(), {})).toThrow(expect.objectContaining({ code }))
    if (name !== 'limit') expect(guard.limiter.peek('203.0.113.9')).toMatchObject({ used: 0 })
  })

  it.each(cases)('%s: %s for a promise of %o', async (name, code, value) => {
    const verdict = guardWith(name, () => Promise.resolve(value)).check(fakeRequest(), {})
    await expect(verdict).rejects.toMatchObject({ code })
  })
})

describe('functions are asked in order, with the context and the view', () => {
  it.each([
    ['at once', (value: unknown) => value],
    ['later', (value: unknown) => Promise.resolve(value)],
  ])('%s', async (_, give) => {
    const asked: unknown[] = []
    const asking = (name: FunctionName, value: unknown) => (ctx: unknown, view: unknown) => {
      asked.push([name, ctx, view])
      return give(value)
    }
    const values = { enabled: true, skip: false, key: 'k', limit: '10/1m', cost: 1 }
    const functions = FUNCTIONS.map((name) => [name, asking(name, values[name])])
    const [request, ctx] = [fakeRequest(), { my: 'context' }]
    await createGuard(Object.fromEntries(functions) as GuardOptions<unknown>).check(request, ctx)
    expect(asked).toEqual(FUNCTIONS.map((name) => [name, ctx, request]))
  })

  it.each([
    ['enabled', () => false],
    ['skip', () => true],
  ])('nothing is asked after %s has let the request pass', (name, value) => {
    const never = () => {
      throw new Error('asked')
    }
    const guard = createGuard({
      key: never,
      limit: never,
      cost: never,
      [name]: value,
    } as GuardOptions<unknown>)
    expect(guard.check(fakeRequest(), {})).toMatchObject({ allowed: true })
  })
})

it('B131: enabled: false asks no store and sends no field', () => {
  const guard = createGuard({ limit: '0/1m', enabled: false, store: store() })
  expect(guard.check(fakeRequest(), {})).toEqual({ allowed: true, headers: [], result: undefined })
})
