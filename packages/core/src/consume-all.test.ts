import { describe, expect, it } from 'vitest'
import { thrown } from '../../../test/support/thrown.js'
import { type ConsumeItem, consumeAll } from './consume-all.js'
import { createLimiter } from './limiter.js'
import type { Limiter } from './limiter-types.js'
import { memoryStore } from './memory/memory-store.js'
import type { Counted } from './model/decision.js'
import { fixedWindow } from './model/policy.js'
import type { Store } from './model/store.js'
import { noopLimiter } from './noop-limiter.js'

const minute = (limit: number) => fixedWindow({ limit, window: '1m' })

/** Limiters of 2 and 5 a minute on one store, whose time is 0. */
function pair(store: Store = memoryStore({ clock: () => 0 })): readonly [narrow: Limiter, wide: Limiter] {
  return [
    createLimiter({ limit: minute(2), name: 'account', store }),
    createLimiter({ limit: minute(5), name: 'address', store }),
  ]
}

describe('several limiters in one decision', () => {
  it('answer at once with a memory store, each policy under its limiter', () => {
    const [narrow, wide] = pair()
    expect(
      consumeAll([
        { limiter: narrow, key: 'anna' },
        { limiter: wide, key: '203.0.113.9', cost: 2 },
      ]),
    ).toMatchObject({
      allowed: true,
      remaining: 1,
      policies: [
        { limiter: 'account', cost: 1, remaining: 1 },
        { limiter: 'address', cost: 2, remaining: 3 },
      ],
    })
  })

  it('row 80: charge all or none', () => {
    const [narrow, wide] = pair()
    const both = [narrow, wide].map((limiter) => ({ limiter, key: 'a' }))
    expect([consumeAll(both), consumeAll(both), consumeAll(both)]).toMatchObject([
      { allowed: true },
      { allowed: true },
      { allowed: false, limit: 2, receipt: null },
    ])
    expect(wide.peek('a')).toMatchObject({ remaining: 3 })
  })

  it('may be one limiter with two keys, and a limit for this call', () => {
    const [, wide] = pair()
    expect(
      consumeAll([
        { limiter: wide, key: 'a' },
        { limiter: wide, key: 'b', limit: minute(9) },
      ]),
    ).toMatchObject({
      policies: [
        { limit: 5, remaining: 4 },
        { limit: 9, remaining: 8 },
      ],
    })
  })

  it('are settled each by its own', async () => {
    const [narrow, wide] = pair()
    const both = [narrow, wide].map((limiter) => ({ limiter, key: 'a' }))
    const decision = consumeAll(both) as Counted
    await narrow.refund(decision)
    expect([narrow.peek('a'), wide.peek('a')]).toMatchObject([{ remaining: 2 }, { remaining: 4 }])
    await wide.refund(decision)
    expect(wide.peek('a')).toMatchObject({ remaining: 5 })
  })

  it('leave out those that are off; without any other all passes, uncounted', () => {
    const [narrow] = pair()
    const off = { limiter: noopLimiter(), key: 'a' }
    expect(consumeAll([off, { limiter: narrow, key: 'a' }])).toMatchObject({ counted: true, remaining: 1 })
    expect([consumeAll([off]), consumeAll([])]).toEqual([
      { counted: false, allowed: true, source: 'none', reason: 'disabled' },
      { counted: false, allowed: true, source: 'none', reason: 'disabled' },
    ])
  })
})

describe('several limiters are refused', () => {
  const [, wide] = pair()
  const twin = createLimiter({ limit: minute(5), name: 'address' })
  it.each<[string, readonly ConsumeItem[], object]>([
    [
      'of one name on two stores',
      [wide, twin].map((limiter, i) => ({ limiter, key: `k${i}` })),
      {
        code: 'RL_CONFIG',
        message: 'limiter: is the name of limiters on two stores; give one another name; got "address"',
      },
    ],
    [
      'with one key twice',
      [wide, wide].map((limiter) => ({ limiter, key: 'a' })),
      { code: 'RL_CONFIG', message: 'key: stands twice for limiter "address"; got "a"' },
    ],
    [
      'with 1 and "1", which are one key',
      [1, '1'].map((key) => ({ limiter: wide, key })),
      { code: 'RL_CONFIG' },
    ],
    [
      'that are none',
      [{ limiter: {} as Limiter, key: 'a' }],
      { code: 'RL_CONFIG', message: 'limiter: consumeAll takes limiters of createLimiter(…); got an object' },
    ],
    ['with no key', [{ limiter: wide, key: '' }], { code: 'RL_KEY' }],
    ['with no cost', [{ limiter: wide, key: 'a', cost: -1 }], { code: 'RL_COST' }],
  ])('%s', (_, items, error) => {
    expect(thrown(() => consumeAll(items))).toMatchObject(error)
  })
})

describe('on a store that can not hold them in one call', () => {
  /** Takes one charge a call, as a cluster does for keys of several slots. */
  const apart = (): Store => {
    const store = memoryStore({ clock: () => 0 })
    return {
      consume: (charges, mode) => store.consume(charges, mode),
      settle: (receipt, costs) => store.settle(receipt, costs),
      reset: (subject) => store.reset(subject),
      together: (charges) => charges.length === 1,
      close: () => store.close(),
    }
  }

  it('they are asked in turn, and are one decision with all receipts', async () => {
    const [narrow, wide] = pair(apart())
    const decision = (await consumeAll([narrow, wide].map((limiter) => ({ limiter, key: 'a' })))) as Counted
    expect(decision).toMatchObject({ allowed: true, remaining: 1, policies: [{ limit: 2 }, { limit: 5 }] })
    await wide.refund(decision)
    await narrow.refund(decision)
    expect([await narrow.peek('a'), await wide.peek('a')]).toMatchObject([{ remaining: 2 }, { remaining: 5 }])
  })

  it('row 80: a refusal gives back what those before it took', async () => {
    const [narrow, wide] = pair(apart())
    await narrow.consume('a', { cost: 2 })
    const decision = await consumeAll([wide, narrow].map((limiter) => ({ limiter, key: 'a' })))
    expect(decision).toMatchObject({ allowed: false, limit: 2 })
    expect(await wide.peek('a')).toMatchObject({ remaining: 5 })
  })
})

describe('on different stores', () => {
  const stores = () => [0, 1, 2].map(() => memoryStore({ clock: () => 0 }))
  /** Of 2, 5 and 3 in windows of a minute, an hour and a second, each in its own store. */
  const three = (): readonly [Limiter, Limiter, Limiter] => {
    const [a, b, c] = stores()
    return [
      createLimiter({ limit: minute(2), name: 'a', store: a }),
      createLimiter({ limit: fixedWindow({ limit: 5, window: '1h' }), name: 'b', store: b }),
      createLimiter({ limit: fixedWindow({ limit: 3, window: '1s' }), name: 'c', store: c }),
    ]
  }
  const ask = (limiters: readonly Limiter[], cost = 1) =>
    consumeAll(limiters.map((limiter) => ({ limiter, key: 'k', cost }))) as Counted
  const used = (limiters: readonly Limiter[]) =>
    limiters.map((limiter) => (limiter.peek('k') as Counted).used)

  it('are one decision, at once where all are in memory, and each is settled in its own', () => {
    const limiters = three()
    const decision = ask(limiters)
    expect(decision).toMatchObject({ allowed: true, remaining: 1, policies: [{}, {}, {}] })
    limiters[1].settle(decision, 4)
    expect(used(limiters)).toEqual([1, 4, 1])
    for (const limiter of limiters) limiter.refund(decision)
    // It was settled already.
    expect(used(limiters)).toEqual([0, 4, 0])
  })

  it('a refusal leaves nothing, whoever refuses', () => {
    for (let i = 0; i < 3; i++) {
      const limiters = three()
      limiters[i]?.charge('k', { cost: 9 })
      const before = used(limiters)
      expect(ask(limiters)).toMatchObject({ allowed: false, receipt: null, cost: 0 })
      expect(used(limiters)).toEqual(before)
    }
  })

  it('a refusal tells the longest wait of all that refuse, also of those behind it', () => {
    const limiters = three()
    for (const limiter of limiters) limiter.charge('k', { cost: 5 })
    expect(ask(limiters)).toMatchObject({
      limit: 5,
      retryAfterMs: 3_600_000,
      policies: [{ limiter: 'a' }, { limiter: 'b' }, { limiter: 'c' }],
    })
    expect(ask(limiters, 6)).toMatchObject({ retryAfterMs: null, reason: 'never' })
  })

  it('those of one store are one call', () => {
    const [store, other] = stores()
    const limiters = [
      createLimiter({ limit: minute(2), name: 'a', store }),
      createLimiter({ limit: minute(2), name: 'b', store: other }),
      createLimiter({ limit: minute(2), name: 'c', store }),
    ]
    void limiters[2]?.charge('k', { cost: 2 })
    expect(ask(limiters)).toMatchObject({
      allowed: false,
      policies: [{ limiter: 'a' }, { limiter: 'c' }, {}],
    })
    expect(used(limiters)).toEqual([0, 0, 2])
  })
})

describe('wrong arguments', () => {
  const [narrow] = pair()
  it.each([
    [undefined, 'consumeAll: takes a list of items: [{ limiter, key }, …]; got undefined'],
    [
      { limiter: narrow, key: 'a' },
      'consumeAll: takes a list of items: [{ limiter, key }, …]; got an object',
    ],
    [[null], 'consumeAll: takes an object of options; got null'],
    [[{ limitr: narrow, key: 'a' }], 'consumeAll: there is no option "limitr". Did you mean "limiter"?'],
    [
      [{ limiter: narrow, key: 'a', costs: 2 }],
      'consumeAll: there is no option "costs". Did you mean "cost"?',
    ],
    [[{ key: 'a' }], 'limiter: consumeAll takes limiters of createLimiter(…); got undefined'],
  ])('are named: %s', (items, message) => {
    expect(thrown(() => consumeAll(items as never))).toMatchObject({ code: 'RL_CONFIG', message })
    expect(narrow.peek('a')).toMatchObject({ remaining: 2 })
  })
})
