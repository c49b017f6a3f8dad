import { describe, expect, it } from 'vitest'
import { thrown } from '../../../test/support/thrown.js'
import { createLimiter } from './limiter.js'
import type { Limiter, LimiterOptions } from './limiter-types.js'
import { type MemoryStore, memoryStore } from './memory/memory-store.js'
import { fixedWindow } from './model/policy.js'

/** A limiter whose time stands still at 0. */
function at0(limit: LimiterOptions['limit']): Limiter & { readonly store: MemoryStore } {
  const store = memoryStore({ clock: () => 0 })
  return createLimiter({ limit, store }) as Limiter & { readonly store: MemoryStore }
}

describe('a limit for one call', () => {
  it('counts on where kind and window are the same', async () => {
    const limiter = at0('10/1m')
    await limiter.consume('a', { cost: 4 })
    expect(limiter.consume('a', { limit: '100/1m' })).toMatchObject({ limit: 100, remaining: 95 })
    expect(limiter.consume('a')).toMatchObject({ limit: 10, remaining: 4 })
  })

  it('is needed where the limiter has none of its own', () => {
    const limiter = at0('per-call')
    expect(limiter.policies).toEqual([])
    expect(limiter.consume('a', { limit: '2/1m' })).toMatchObject({ limit: 2, remaining: 1 })
    expect(thrown(() => limiter.consume('a'))).toMatchObject({
      code: 'RL_CONFIG',
      message: 'limit: is per call here: pass { limit }; got undefined',
    })
  })

  it.each([
    ['row 82, B124', Number.NaN],
    ['row 82', -1],
    ['row 82', '10'],
    ['B124', null],
    ['nothing but a word', 'per-call'],
  ])('%s: %o is an error, never "unlimited"', (_, limit) => {
    const limiter = at0('per-call')
    expect(thrown(() => limiter.consume('a', { limit: limit as string }))).toMatchObject({
      code: 'RL_CONFIG',
    })
    expect(limiter.store.size).toBe(0)
  })

  it('is read anew where its object may have changed', () => {
    const limiter = at0('per-call')
    const limit = { ...fixedWindow({ limit: 5, window: '1m' }) }
    expect(limiter.consume('a', { limit })).toMatchObject({ limit: 5, remaining: 4 })
    Object.assign(limit, { limit: 9 })
    expect(limiter.consume('a', { limit })).toMatchObject({ limit: 9, remaining: 7 })
    const built = fixedWindow({ limit: 9, window: '1m' })
    expect(limiter.consume('a', { limit: built })).toMatchObject({ remaining: 6 })
    expect(limiter.consume('a', { limit: built })).toMatchObject({ remaining: 5 })
  })

  it('B123: 0 refuses everything', () => {
    const limiter = at0('10/1m')
    expect(limiter.consume('a', { limit: '0/1m' })).toMatchObject({ allowed: false, retryAfterMs: null })
  })

  it('the policies of a limiter mean the same as a limit', async () => {
    const limiter = at0({ burst: '5/1s', daily: '9/1d' })
    await limiter.consume('a')
    expect(limiter.consume('a', { limit: limiter.policies })).toMatchObject({ policy: 'burst', remaining: 3 })
  })

  it('an object that is changed between two calls means what it says now', () => {
    const limiter = at0('per-call')
    const limit = { hourly: '2/1h' }
    for (const given of [limit, Object.freeze([limit.hourly])])
      expect(limiter.consume('a', { limit: given })).toMatchObject({ limit: 2 })
    limit.hourly = '7/1h'
    expect(limiter.consume('a', { limit })).toMatchObject({ limit: 7 })
  })
})

describe('options of a call', () => {
  const limiter = createLimiter({ limit: '5/1m' })
  it.each([
    [3, 'consume: takes an object of options; got 3'],
    [null, 'consume: takes an object of options; got null'],
    [[3], 'consume: takes an object of options; got an array of 1'],
    [{ costs: 3 }, 'consume: there is no option "costs". Did you mean "cost"?'],
    [{ cost: 1, weight: 3 }, 'consume: there is no option "weight". It takes cost, limit.'],
  ])('that do not exist are refused: %j', (options, message) => {
    for (const call of ['consume', 'peek', 'charge'] as const)
      expect(thrown(() => limiter[call]('a', options as never))).toMatchObject({ code: 'RL_CONFIG', message })
    expect(limiter.peek('a')).toMatchObject({ remaining: 5 })
  })
})
