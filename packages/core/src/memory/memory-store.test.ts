import { afterEach, describe, expect, it, vi } from 'vitest'
import { thrown } from '../../../../test/support/thrown.js'
import type { Charge } from '../model/charge.js'
import { toPolicies } from '../model/limit.js'
import { fixedWindow, type PolicyLike, slidingLog } from '../model/policy.js'
import { type MemoryStoreOptions, memoryStore } from './memory-store.js'

const one = fixedWindow({ limit: 1, window: '1h' })
const quiet = { warn: () => undefined, error: () => undefined }

function charge(key: string, limit: PolicyLike, limiter = 'test'): Charge {
  return { limiter, key, policies: toPolicies(limit), costs: 1 }
}

/** A store whose clock is `time.now`, and single charges for the policy of one limiter. */
function storeFor(limit: PolicyLike, options: MemoryStoreOptions = {}) {
  const policies = toPolicies(limit)
  const time = { now: 0 }
  const store = memoryStore({ clock: () => time.now, logger: quiet, ...options })
  const ask = (key: string) => store.consume([{ limiter: 'test', key, policies, costs: 1 }], 'ask')
  const flood = (from: number, to: number) => {
    for (let i = from; i < to; i++) ask(`key-${i}`)
  }
  return { store, time, ask, flood }
}

afterEach(() => {
  vi.useRealTimers()
})

describe('memoryStore refuses', () => {
  const keys = 'maxKeys: must be a whole number from 2 to 16777216'
  it.each<[string, unknown, string]>([
    ['no room', { maxKeys: 1 }, `${keys}; got 1`],
    ['more than a Map holds', { maxKeys: 16_777_217 }, `${keys}; got 16777217`],
    ['NaN', { maxKeys: Number.NaN }, `${keys}; got NaN`],
    ['a fraction', { maxKeys: 10.5 }, `${keys}; got 10.5`],
    ['text', { maxKeys: '10' }, `${keys}; got "10"`],
    ['null', { maxKeys: null }, `${keys}; got null`],
    ['a time in place of a clock', { clock: 0 }, 'clock: is a function; got 0'],
    [
      'a logger that can not warn',
      { logger: {} },
      'logger: takes an object with warn(message) and error(message); got an object',
    ],
    [
      'B85: a time to live',
      { ttl: 300_000 },
      'memoryStore: there is no option "ttl". It takes maxKeys, clock, logger.',
    ],
    [
      'B85: max of a cache',
      { max: 1000 },
      'memoryStore: there is no option "max". It takes maxKeys, clock, logger.',
    ],
    [
      'row 84: a misspelt option',
      { maxkeys: 10 },
      'memoryStore: there is no option "maxkeys". Did you mean "maxKeys"?',
    ],
    ['null in place of options', null, 'memoryStore: takes an object of options; got null'],
  ])('%s', (_, options, message) => {
    expect(thrown(() => memoryStore(options as MemoryStoreOptions))).toMatchObject({
      code: 'RL_CONFIG',
      message,
    })
  })
})

describe('the clock', () => {
  it('is Date.now, read at each call, so that fake timers work', () => {
    const store = memoryStore()
    vi.useFakeTimers({ now: 3_600_000 })
    store.consume([charge('a', one)], 'ask')
    vi.setSystemTime(7_199_999)
    expect(store.consume([charge('a', one)], 'ask')).toMatchObject({ allowed: false, retryAfterMs: 1 })
    vi.setSystemTime(7_200_000)
    expect(store.consume([charge('a', one)], 'ask')).toMatchObject({ allowed: true })
  })

  it('starts no timer, at no window: row 73, B125', () => {
    vi.useFakeTimers()
    const warned = vi.spyOn(process, 'emitWarning')
    memoryStore().consume([charge('a', '5/365d')], 'ask')
    expect([vi.getTimerCount(), warned.mock.calls]).toEqual([0, []])
  })

  it.each([
    ['a fraction is cut off', 999.9, 999],
    ['before 1970 is 1970', -5, 0],
  ])('%s', (_, now, at) => {
    const store = memoryStore({ clock: () => now })
    expect(store.consume([charge('a', one)], 'ask').receipt).toMatchObject({ at })
  })
})

describe('limits last', () => {
  it('row 73, B125: for a year', () => {
    const { time, ask } = storeFor('5/365d')
    expect(ask('a')).toMatchObject({ remaining: 4 })
    time.now = 60_000
    expect(ask('a')).toMatchObject({ remaining: 3 })
  })

  it('B85: for the whole hour, no cache drops a key before', () => {
    const { time, ask } = storeFor(slidingLog({ limit: 1, window: '1h' }))
    ask('a')
    const refused = [360_000, 3_540_000, 3_599_999].map((now) => {
      time.now = now
      return ask('a').allowed
    })
    expect(refused).toEqual([false, false, false])
  })
})

describe('the number of keys', () => {
  it('B77: is bounded however many there were', () => {
    const { store, flood } = storeFor('5/1s', { maxKeys: 100 })
    flood(0, 10_000)
    expect(store.size).toBe(88)
  })

  it('B82: is at most 2 where that is the maximum, an empty key included', () => {
    const { store, ask } = storeFor('1/1h', { maxKeys: 2 })
    for (const key of ['', 'one', 'two', 'three', 'four']) ask(key)
    expect(store.size).toBe(2)
  })

  it('is counted over all limiters, each of which has the whole maximum', () => {
    const store = memoryStore({ maxKeys: 16, logger: quiet })
    for (const limiter of ['a', 'b']) {
      for (let i = 0; i < 100; i++) store.consume([charge(`${i}`, '5/1h', limiter)], 'ask')
    }
    expect(store.size).toBe(28)
  })
})

describe('the policies of a limiter', () => {
  const asked = (windows: number) => {
    const store = memoryStore({ clock: () => 0 })
    for (let i = 1; i <= windows; i++) store.consume([charge('a', `5/${i}s`)], 'ask')
    return store.consume([charge('a', '5/1s')], 'peek').remaining
  }

  it('are remembered up to sixteen, of those that come and go', () => {
    expect([asked(16), asked(17)]).toEqual([4, 5])
  })
})
