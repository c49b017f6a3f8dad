import { fixedWindow } from '@rl/core'
import { describe, expect, it } from 'vitest'
import { everyKind, type OpenBench, policiesOf } from './store-bench.js'

const five = policiesOf(fixedWindow({ limit: 5, window: '1m' }))

export function describeModes(open: OpenBench): void {
  describe('a peek', () => {
    it.each(everyKind(5))(
      'B120: %s: tells what is left and when it is back, and takes nothing',
      async (_, limit) => {
        const bench = await open()
        await bench.ask({ limit })
        const peeked = [await bench.peek({ limit }), await bench.peek({ limit })]
        expect(peeked[0]).toMatchObject({ allowed: true, cost: 1, remaining: 4, receipt: null })
        expect(peeked[0]?.resetAfterMs).toBeGreaterThan(0)
        expect(peeked[1]).toEqual(peeked[0])
        expect(await bench.ask({ limit })).toMatchObject({ remaining: 3 })
      },
    )

    it.each(everyKind(5))('B120: %s: of an unknown key writes nothing', async (_, limit) => {
      const bench = await open()
      expect(await bench.peek({ limit })).toMatchObject({ allowed: true, remaining: 5, resetAfterMs: 0 })
      expect(await bench.keys()).toBe(0)
    })

    it.each(everyKind(5))('%s: gives the refusal that an ask would get', async (_, limit) => {
      const bench = await open()
      await bench.ask({ limit, cost: 4 })
      const peeked = await bench.peek({ limit, cost: 2 })
      expect(peeked).toMatchObject({ allowed: false, cost: 0, remaining: 1 })
      expect(await bench.ask({ limit, cost: 2 })).toEqual(peeked)
    })

    it.each(everyKind(5))('row 72: %s: does not repair after a clock that went back', async (_, limit) => {
      const bench = await open()
      await (await bench.at(5000)).ask({ limit, cost: 4 })
      await (await bench.at(1000)).peek({ limit })
      expect(await (await bench.at(5000)).peek({ limit })).toMatchObject({ remaining: 1 })
    })

    it('of several charges writes nothing', async () => {
      const bench = await open()
      await bench.peek({ limit: five, key: 'a' }, { limit: five, key: 'b' })
      expect(await bench.keys()).toBe(0)
    })
  })

  describe('force', () => {
    it.each(everyKind(5))('%s: charges without asking, and says that it did', async (_, limit) => {
      const bench = await open()
      await bench.ask({ limit, cost: 4 })
      expect(await bench.force({ limit, cost: 3 })).toMatchObject({
        allowed: true,
        reason: 'ok',
        cost: 3,
        remaining: 0,
        used: 5,
        retryAfterMs: 0,
        receipt: { charges: [{ costs: 3 }] },
        policies: [{ allowed: true, retryAfterMs: 0 }],
      })
    })

    it.each([
      ['is forgiven at the end of a fixed window', 0, 1000],
      ['is forgiven at the end of one from the first hit', 1, 1000],
      ['is paid one window longer by a sliding window', 2, 1429],
      ['leaves a sliding log with its hit', 3, 1000],
      ['is paid by a bucket token by token', 4, 600],
    ])('a debt %s', async (_, kind, retryAfterMs) => {
      const bench = await open()
      const limit = everyKind(5)[kind]?.[1] ?? []
      await bench.force({ limit, cost: 7 })
      expect(await bench.ask({ limit })).toMatchObject({ allowed: false, remaining: 0, retryAfterMs })
      expect(await (await bench.at(retryAfterMs - 1)).ask({ limit })).toMatchObject({ allowed: false })
      expect(await (await bench.at(retryAfterMs)).ask({ limit })).toMatchObject({ allowed: true })
    })

    it.each(everyKind(5))('%s: of a cost above the limit is a debt, no error', async (_, limit) => {
      const bench = await open()
      expect(await bench.force({ limit, cost: 20 })).toMatchObject({ allowed: true, cost: 20, remaining: 0 })
      expect(await bench.ask({ limit })).toMatchObject({ allowed: false, remaining: 0, reason: 'limit' })
    })

    it('charges every policy and every charge of a call', async () => {
      const bench = await open()
      await bench.ask({ limit: five, key: 'a', cost: 5 })
      const { policies } = await bench.force({ limit: five, key: 'a' }, { limit: five, key: 'b', cost: 2 })
      expect(policies).toMatchObject([
        { allowed: true, cost: 1, remaining: 0 },
        { allowed: true, cost: 2, remaining: 3 },
      ])
    })

    it('of 0 writes nothing', async () => {
      const bench = await open()
      await bench.force({ limit: five, cost: 0 })
      expect(await bench.keys()).toBe(0)
    })
  })

  describe('a store', () => {
    it('answers with a decision, or with a promise of it', async () => {
      const { store } = await open()
      const charges = [{ limiter: 'test', key: 'a', policies: five, costs: 1 }]
      const answer = store.consume(charges, 'ask')
      expect('then' in answer || answer.counted).toBeTruthy()
      expect(await answer).toMatchObject({ counted: true, remaining: 4 })
    })

    it('row 79: may be closed twice', async () => {
      const { store } = await open()
      await store.close()
      await expect((async () => store.close())()).resolves.toBeUndefined()
    })
  })
}
