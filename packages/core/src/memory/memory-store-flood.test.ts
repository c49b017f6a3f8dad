import { describe, expect, it, vi } from 'vitest'
import type { Costs } from '../model/charge.js'
import { type Limit, toPolicies } from '../model/limit.js'
import { slidingLog } from '../model/policy.js'
import type { Mode } from '../model/store.js'
import { type MemoryStore, memoryStore } from './memory-store.js'

const quiet = { warn: () => undefined, error: () => undefined }

/** A store for 1000 keys, 125 of them used up. */
function storeFor(first: Limit) {
  const warn = vi.fn()
  const time = { now: 0 }
  const store = memoryStore({ maxKeys: 1000, clock: () => time.now, logger: { warn, error: warn } })
  let policies = toPolicies(first)
  const change = (limit: Limit) => {
    policies = toPolicies(limit)
  }
  const ask = (key: string, costs: Costs = 1) =>
    store.consume([{ limiter: 'login', key, policies, costs }], 'ask')
  const flood = (count: number, times = 1, prefix = 'flood') => {
    for (let i = 0; i < count; i++) {
      for (let time = 0; time < times; time++) ask(`${prefix}-${i}`)
    }
  }
  return { store, time, warn, change, ask, flood }
}

describe('a key that is used up', () => {
  it('row 50: is still refused after a flood of new ones', () => {
    const { ask, flood } = storeFor('2/1h')
    ask('blocked')
    ask('blocked')
    flood(10_000)
    expect(ask('blocked')).toMatchObject({ allowed: false, remaining: 0 })
  })

  it('B80: is refused throughout, asked every 100 keys', () => {
    const { store, ask, flood } = storeFor('2/1h')
    ask('A')
    ask('A')
    const answers = Array.from({ length: 15 }, () => {
      flood(100)
      return ask('A').allowed
    })
    expect(answers).toEqual(Array.from({ length: 15 }, () => false))
    expect(store.size).toBeLessThanOrEqual(1000)
  })

  it('is not forgotten by 999 others that are used up too', () => {
    const { store, ask, flood } = storeFor('1/1h')
    ask('blocked')
    flood(999, 2)
    expect(ask('blocked')).toMatchObject({ allowed: false })
    expect([store.size, store.forgotten]).toEqual([1000, 0])
  })

  it('row 51: that finds no room is forgotten: counted each, warned of once', () => {
    const { store, warn, ask, flood } = storeFor('1/1h')
    ask('blocked')
    flood(1010, 2)
    expect([store.size, store.forgotten]).toEqual([1000, 11])
    expect(warn.mock.calls).toEqual([
      [
        '[rl] limiter "login" has more than 1000 clients and forgot one that was blocked. ' +
          'Raise maxKeys of memoryStore, or count in Redis.',
      ],
    ])
    expect(ask('blocked')).toMatchObject({ allowed: false })
  })

  it('stays refused however it tries meanwhile, though every key of the flood is used up too', () => {
    const { ask, flood } = storeFor('1/1h')
    ask('blocked')
    for (let i = 0; i < 20; i++) {
      flood(900)
      expect(ask('blocked')).toMatchObject({ allowed: false })
    }
  })

  it('is used up no longer when its window is over', () => {
    const { store, time, flood } = storeFor('1/1h')
    flood(500, 1, 'before')
    time.now = 7_200_000
    flood(5000)
    expect([store.size, store.forgotten]).toEqual([1000, 4000])
  })

  it('is judged by the limit that was asked last', () => {
    const { change, ask, flood } = storeFor('10/1h')
    ask('A', 5)
    change('5/1h')
    flood(10_000)
    expect(ask('A')).toMatchObject({ allowed: false })
  })

  it('is none whose limit is 0: that blocks all, so there is nothing to keep', () => {
    const { store, ask } = storeFor({ off: '0/1h', on: '5/1h' })
    for (let i = 0; i < 5000; i++) ask(`key-${i}`, { off: 0, on: 1 })
    expect([store.size, store.forgotten]).toEqual([875, 0])
  })
})

describe('one key', () => {
  it('B83: is admitted 100 times of 100,000 in one window', () => {
    const { ask } = storeFor(slidingLog({ limit: 100, window: '1m' }))
    const admitted = Array.from({ length: 100_000 }, () => ask('a').allowed).filter(Boolean)
    expect(admitted).toHaveLength(100)
  })

  it('takes no slot while it is only looked at', () => {
    const { store } = storeFor('1/1h')
    store.consume([{ limiter: 'login', key: 'a', policies: toPolicies('1/1h'), costs: 1 }], 'peek')
    store.reset({ limiter: 'login', key: 'a', policies: [] })
    expect(store.size).toBe(0)
  })
})

describe('two keys of one call, in a store for two of which one is used up', () => {
  const policies = toPolicies({ one: '2/1h', other: '2/1h' })
  const ask = (store: MemoryStore, keys: readonly string[], mode: Mode, other = 1) =>
    store.consume(
      keys.map((key) => ({ limiter: 'login', key, policies, costs: { one: 1, other } })),
      mode,
    )

  it('are decided by what was known of both, though they push each other out', () => {
    const store = memoryStore({ maxKeys: 2, clock: () => 0, logger: quiet })
    expect(ask(store, ['a', 'b'], 'ask').policies.map(({ remaining }) => remaining)).toEqual([1, 1, 1, 1])
    expect(ask(store, ['a', 'b'], 'ask').allowed).toBe(true)
  })

  it('are both written, though the second pushes the first out, and share nothing with the next key', () => {
    const store = memoryStore({ maxKeys: 2, clock: () => 0, logger: quiet })
    for (const key of ['b', 'b', 'a']) ask(store, [key], 'ask')
    ask(store, ['a', 'b'], 'force')
    expect(ask(store, ['a'], 'ask')).toMatchObject({ allowed: false })
    ask(store, ['c'], 'ask', 0)
    expect(ask(store, ['c'], 'peek').policies.map(({ remaining }) => remaining)).toEqual([1, 2])
    expect(store.size).toBe(2)
  })
})

describe('close', () => {
  it('row 79, B79: may be called twice, and forgets everything', () => {
    const { store, ask } = storeFor('1/1h')
    ask('a')
    store.close()
    store.close()
    expect(store.size).toBe(0)
    expect(ask('a')).toMatchObject({ allowed: true })
  })
})
