import { describe, expect, it, vi } from 'vitest'
import { toPolicies } from '../model/limit.js'
import { type PolicyLike, slidingLog } from '../model/policy.js'
import { memoryStore } from './memory-store.js'

/** A store for 1000 keys, 125 of them used up, whose time stands still at 0. */
function storeFor(limit: PolicyLike) {
  const policies = toPolicies(limit)
  const warn = vi.fn()
  const store = memoryStore({ maxKeys: 1000, clock: () => 0, logger: { warn, error: warn } })
  const ask = (key: string) => store.consume([{ limiter: 'login', key, policies, costs: 1 }], 'ask')
  const flood = (count: number, times = 1) => {
    for (let i = 0; i < count; i++) {
      for (let time = 0; time < times; time++) ask(`flood-${i}`)
    }
  }
  return { store, warn, ask, flood }
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

  it('is any whose limit is reached, not one whose limit is 0', () => {
    const { store, flood } = storeFor('0/1h')
    flood(5000)
    expect([store.size, store.forgotten]).toEqual([0, 0])
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

describe('two keys of one call', () => {
  it('that push each other out of a store for two are decided by what was known of both', () => {
    const policies = toPolicies('2/1h')
    const store = memoryStore({ maxKeys: 2, clock: () => 0 })
    const both = () =>
      store.consume(
        ['a', 'b'].map((key) => ({ limiter: 'login', key, policies, costs: 1 })),
        'ask',
      )
    expect(both().policies.map(({ remaining }) => remaining)).toEqual([1, 1])
    expect(both().allowed).toBe(true)
    expect(store.size).toBeLessThanOrEqual(2)
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
