import { describe, expect, it } from 'vitest'
import { failingStore } from '../../../test/support/failing-store.js'
import { thrown } from '../../../test/support/thrown.js'
import { consumeAll } from './consume-all.js'
import { createLimiter } from './limiter.js'
import type { Limiter } from './limiter-types.js'
import { memoryStore } from './memory/memory-store.js'
import type { Counted } from './model/decision.js'
import { fixedWindow } from './model/policy.js'

const five = fixedWindow({ limit: 5, window: '1m' })

/** A limiter, its time at 0, and what it decided first. */
function charged(cost: number): { readonly limiter: Limiter; readonly decision: Counted } {
  const limiter = createLimiter({ limit: five, name: 'test', store: memoryStore({ clock: () => 0 }) })
  return { limiter, decision: limiter.consume('a', { cost }) as Counted }
}

describe('settle and refund', () => {
  it('corrects a charge to what it really cost', async () => {
    const { limiter, decision } = charged(4)
    await limiter.settle(decision, 1)
    expect(limiter.peek('a')).toMatchObject({ remaining: 4 })
  })

  it('gives all back', async () => {
    const { limiter, decision } = charged(4)
    await limiter.refund(decision)
    expect(limiter.peek('a')).toMatchObject({ remaining: 5 })
  })

  it('does nothing for a refusal', async () => {
    const { limiter } = charged(5)
    const refused = limiter.consume('a') as Counted
    await limiter.refund(refused)
    expect(limiter.peek('a')).toMatchObject({ remaining: 0 })
  })

  it('does nothing for a decision without counting', async () => {
    const { limiter } = charged(4)
    await limiter.settle({ counted: false, allowed: true, source: 'open', reason: 'store-failed' }, 0)
    expect(limiter.peek('a')).toMatchObject({ remaining: 1 })
  })

  it.each([
    ['row 83: -1', -1],
    ['NaN', Number.NaN],
    ['a policy that was not charged', { other: 1 }],
  ])('refuses a cost that is none: %s', (_, actual) => {
    const { limiter, decision } = charged(4)
    expect(thrown(() => limiter.settle(decision, actual as number))).toMatchObject({ code: 'RL_COST' })
    expect(limiter.peek('a')).toMatchObject({ remaining: 1 })
  })

  it('of another limiter’s decision does nothing: whoever may have had a part in it can be asked', () => {
    const { limiter, decision } = charged(4)
    const other = createLimiter({ limit: five, name: 'other', store: limiter.store })
    expect(other.refund(decision)).toBeUndefined()
    expect(limiter.peek('a')).toMatchObject({ remaining: 1 })
  })

  it.each([null, undefined, {}, Promise.resolve({ counted: false }), 5, 'ok'])(
    'refuses what is no decision, as one that was not awaited: %s',
    (given) => {
      const { limiter } = charged(4)
      const message = expect.stringContaining('await the decision')
      for (const act of [() => limiter.settle(given as never, 1), () => limiter.refund(given as never)])
        expect(thrown(act)).toMatchObject({ code: 'RL_CONFIG', message })
    },
  )

  it.each([undefined, {}, { charges: null }, { charges: [null] }, { charges: [], rest: 5 }])(
    'refuses a receipt that is none: %j',
    (receipt) => {
      const { limiter, decision } = charged(4)
      expect(thrown(() => limiter.refund({ ...decision, receipt } as never))).toMatchObject({
        code: 'RL_CONFIG',
        message: expect.stringContaining('has a receipt that is none'),
      })
    },
  )

  it.each([-1, Number.NaN, 2 ** 53, 0.5, null, {}])('refuses a receipt of a cost of %s', (costs) => {
    const { limiter, decision } = charged(4)
    const receipt = decision.receipt!
    const forged = { ...receipt, id: 9, charges: receipt.charges.map((charge) => ({ ...charge, costs })) }
    const list = [
      { ...decision, receipt: forged },
      { ...decision, receipt: { ...receipt, rest: [forged] } },
    ]
    for (const one of list)
      expect(thrown(() => limiter.settle(one as never, 0))).toMatchObject({ code: 'RL_COST' })
    expect(limiter.peek('a')).toMatchObject({ remaining: 1 })
  })

  it('takes a decision over several, each limiter its part, also where a part was not counted', async () => {
    const { limiter } = charged(1)
    const elsewhere = createLimiter({
      limit: five,
      name: 'open',
      store: { ...failingStore(), isAvailable: false, available: () => false } as never,
      onStoreFailure: 'open',
      logger: { warn: () => {}, error: () => {} },
    })
    const both = (await consumeAll([
      { limiter: elsewhere, key: 'a' },
      { limiter, key: 'a', cost: 2 },
    ])) as Counted
    const sent = JSON.parse(JSON.stringify(both))
    await elsewhere.refund(sent)
    expect(limiter.peek('a')).toMatchObject({ remaining: 2 })
    await limiter.refund(sent)
    expect(limiter.peek('a')).toMatchObject({ remaining: 4 })
    await elsewhere.close()
  })

  it('row 78: happens once', async () => {
    const { limiter, decision } = charged(2)
    await limiter.consume('a', { cost: 2 })
    await limiter.refund(decision)
    await limiter.refund(decision)
    expect(limiter.peek('a')).toMatchObject({ remaining: 3 })
  })

  it('keeps what was charged when the record that it came in changes', async () => {
    const limiter = createLimiter({ limit: { tokens: five }, store: memoryStore({ clock: () => 0 }) })
    const cost = { tokens: 4 }
    const decision = limiter.consume('a', { cost }) as Counted
    cost.tokens = 1
    await limiter.settle(decision, 1)
    expect(limiter.peek('a', { cost: { tokens: 1 } })).toMatchObject({ remaining: 4 })
  })
})

describe('charge', () => {
  it('counts without asking, into debt', () => {
    const { limiter, decision } = charged(4)
    expect(limiter.charge('a', { cost: 3 })).toMatchObject({ allowed: true, cost: 3, remaining: 0 })
    expect(decision.receipt?.id).toBe(1)
    expect(limiter.consume('a')).toMatchObject({ allowed: false, retryAfterMs: 60_000 })
  })

  it('can be settled', async () => {
    const { limiter } = charged(4)
    await limiter.refund(limiter.charge('a', { cost: 3 }) as Counted)
    expect(limiter.peek('a')).toMatchObject({ remaining: 1 })
  })
})
