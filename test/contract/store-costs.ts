import { fixedWindow, tokenBucket } from '@rl/core'
import { describe, expect, it } from 'vitest'
import { everyKind, type OpenBench, policiesOf } from './store-bench.js'

const five = policiesOf(fixedWindow({ limit: 5, window: '1m' }))

export function describeCosts(open: OpenBench): void {
  describe('a cost', () => {
    it.each(everyKind(10))('B113: %s: above the limit never passes and takes nothing', async (_, limit) => {
      const bench = await open()
      expect(await bench.askEach(limit, [5, 100, 5])).toMatchObject([
        { allowed: true, cost: 5, remaining: 5 },
        { allowed: false, cost: 0, remaining: 5, retryAfterMs: null, reason: 'never' },
        { allowed: true, cost: 5, remaining: 0 },
      ])
    })

    it.each(everyKind(5))('B116: %s: above the limit leaves a fresh key fresh', async (_, limit) => {
      const bench = await open()
      expect(await bench.ask({ limit, cost: 10 })).toMatchObject({
        allowed: false,
        remaining: 5,
        resetAfterMs: 0,
        retryAfterMs: null,
      })
      expect(await bench.keys()).toBe(0)
      expect(await bench.ask({ limit })).toMatchObject({ allowed: true, remaining: 4 })
    })

    it('B115: that is refused drives no bucket below zero', async () => {
      const bench = await open()
      const limit = policiesOf(tokenBucket({ capacity: 10, refill: 1, per: '10s' }))
      expect(await bench.askEach(limit, [8, 5, 1_000_000, 2])).toMatchObject([
        { allowed: true, remaining: 2 },
        { allowed: false, remaining: 2, retryAfterMs: 30_000 },
        { allowed: false, remaining: 2, retryAfterMs: null },
        { allowed: true, remaining: 0, resetAfterMs: 100_000 },
      ])
    })

    it.each(everyKind(3))('%s: may be as large as the limit', async (_, limit) => {
      const bench = await open()
      expect(await bench.ask({ limit, cost: 3 })).toMatchObject({ allowed: true, remaining: 0 })
    })

    it('row 69, B74: that come together are admitted up to the limit', async () => {
      const bench = await open()
      const limit = policiesOf(fixedWindow({ limit: 100, window: '1m' }))
      const answers = await Promise.all([58, 80, 175, 175, 175].map((cost) => bench.ask({ limit, cost })))
      expect(answers.reduce((sum, { cost }) => sum + cost, 0)).toBe(58)
    })
  })

  describe('a cost of 0', () => {
    it.each(everyKind(5))('B120: %s: takes nothing and writes nothing', async (_, limit) => {
      const bench = await open()
      expect(await bench.ask({ limit, cost: 0 })).toMatchObject({ allowed: true, cost: 0, remaining: 5 })
      expect(await bench.keys()).toBe(0)
      await bench.ask({ limit })
      expect(await bench.ask({ limit, cost: 0 })).toMatchObject({ remaining: 4, retryAfterMs: 0 })
      expect(await bench.ask({ limit })).toMatchObject({ remaining: 3 })
    })

    it.each(everyKind(1))('%s: is never refused, not even in debt', async (_, limit) => {
      const bench = await open()
      await bench.force({ limit, cost: 3 })
      expect(await bench.ask({ limit, cost: 0 })).toMatchObject({ allowed: true, remaining: 0 })
    })

    it('B123: is not refused by a limit of 0 either', async () => {
      const bench = await open()
      const limit = policiesOf(fixedWindow({ limit: 0, window: '1m' }))
      expect(await bench.ask({ limit, cost: 0 })).toMatchObject({ allowed: true, remaining: 0 })
    })

    it('leaves a policy out: used up, it does not refuse', async () => {
      const bench = await open()
      const limit = policiesOf({ requests: five[0] ?? '5/1m', tokens: '100/1m' })
      await bench.ask({ limit, cost: { requests: 5, tokens: 1 } })
      expect(await bench.ask({ limit, cost: { requests: 0, tokens: 1 } })).toMatchObject({
        allowed: true,
        policies: [
          { policy: 'requests', cost: 0, remaining: 0 },
          { policy: 'tokens', cost: 1, remaining: 98 },
        ],
      })
    })

    it('leaves a whole charge out, beside one that is charged', async () => {
      const bench = await open()
      await bench.ask({ limit: five, key: 'a', cost: 5 })
      const decision = await bench.ask({ limit: five, key: 'a', cost: 0 }, { limit: five, key: 'b' })
      expect(decision).toMatchObject({ allowed: true, policies: [{ remaining: 0 }, { remaining: 4 }] })
    })
  })

  describe('costs by policy name', () => {
    const limit = policiesOf({ requests: '10/1m', tokens: '1000/1m' })

    it('are charged each to its policy', async () => {
      const bench = await open()
      const { policies } = await bench.ask({ limit, cost: { tokens: 300, requests: 1 } })
      expect(policies).toMatchObject([
        { policy: 'requests', cost: 1, remaining: 9 },
        { policy: 'tokens', cost: 300, remaining: 700 },
      ])
    })

    it('decide how many calls a policy has left: 700 tokens are two calls of 300', async () => {
      const bench = await open()
      const cost = { requests: 1, tokens: 300 }
      expect(await bench.ask({ limit, cost })).toMatchObject({ policy: 'tokens', cost: 300, remaining: 700 })
    })

    it('of which one is too much charge none', async () => {
      const bench = await open()
      await bench.ask({ limit, cost: { requests: 1, tokens: 1001 } })
      const { policies } = await bench.peek({ limit })
      expect(policies.map(({ remaining }) => remaining)).toEqual([10, 1000])
    })
  })
}
