import { fixedWindow, slidingLog, slidingWindow, tokenBucket } from '@rl/core'
import { describe, expect, it } from 'vitest'
import { type OpenBench, policiesOf } from './store-bench.js'

const minute = (limit: number) => fixedWindow({ limit, window: '1m' })
const burstAndDaily = policiesOf({
  burst: tokenBucket({ capacity: 2, per: '1s' }),
  daily: fixedWindow({ limit: 3, window: '1d' }),
})

export function describeSeveral(open: OpenBench): void {
  describe('several policies', () => {
    it('are charged all or none', async () => {
      const bench = await open()
      const limit = burstAndDaily
      const answers = await bench.askEach(limit, [1, 1, 1])
      expect(answers.map(({ allowed }) => allowed)).toEqual([true, true, false])
      expect(answers[2]?.policies).toMatchObject([
        { policy: 'burst', allowed: false, cost: 0, remaining: 0, retryAfterMs: 500 },
        { policy: 'daily', allowed: true, cost: 0, remaining: 1, retryAfterMs: 0 },
      ])
      expect(await (await bench.at(500)).ask({ limit })).toMatchObject({ allowed: true, policy: 'burst' })
    })

    it('of every kind are one decision, each with its own numbers', async () => {
      const bench = await open()
      const limit = policiesOf({
        fixed: fixedWindow({ limit: 9, window: '1s' }),
        first: fixedWindow({ limit: 8, window: '1s', align: 'first-hit' }),
        sliding: slidingWindow({ limit: 7, window: '1s' }),
        log: slidingLog({ limit: 6, window: '1s' }),
        bucket: tokenBucket({ capacity: 5, refill: 1, per: '1s' }),
      })
      await (await bench.at(250)).ask({ limit, cost: 2 })
      const { policy, policies } = await (await bench.at(500)).ask({ limit })
      expect(policy).toBe('bucket')
      expect(policies).toMatchObject([
        { policy: 'fixed', limit: 9, remaining: 6, resetAfterMs: 500, windowMs: 1000 },
        { policy: 'first', limit: 8, remaining: 5, resetAfterMs: 750, windowMs: 1000 },
        { policy: 'sliding', limit: 7, remaining: 4, resetAfterMs: 1500, windowMs: 1000 },
        { policy: 'log', limit: 6, remaining: 3, resetAfterMs: 1000, windowMs: 1000 },
        { policy: 'bucket', limit: 5, remaining: 2, resetAfterMs: 2750, windowMs: 5000 },
      ])
    })

    it('B112: the one with the longest wait speaks for a refusal', async () => {
      const bench = await open()
      await bench.ask({ limit: burstAndDaily, cost: { burst: 2, daily: 3 } })
      expect(await bench.ask({ limit: burstAndDaily })).toMatchObject({
        allowed: false,
        policy: 'daily',
        limit: 3,
        remaining: 0,
        retryAfterMs: 86_400_000,
        reason: 'limit',
      })
    })

    it('one that never passes speaks before the longest wait', async () => {
      const bench = await open()
      await bench.ask({ limit: burstAndDaily, cost: { burst: 0, daily: 3 } })
      expect(await bench.ask({ limit: burstAndDaily, cost: { burst: 3, daily: 1 } })).toMatchObject({
        policy: 'burst',
        retryAfterMs: null,
        reason: 'never',
      })
    })

    it('B109: the one with the fewest calls left speaks for an admission', async () => {
      const bench = await open()
      const limit = policiesOf({ app: minute(20), route: minute(2) })
      expect(await bench.askEach(limit, [1, 1, 1])).toMatchObject([
        { allowed: true, policy: 'route', limit: 2, remaining: 1 },
        { allowed: true, policy: 'route', limit: 2, remaining: 0 },
        { allowed: false, policy: 'route', limit: 2, remaining: 0 },
      ])
    })

    it('B105: what the narrow one refuses takes nothing of the wide one', async () => {
      const bench = await open()
      const limit = policiesOf({ group: minute(10), special: minute(3) })
      const special = await bench.askEach(limit, Array(5).fill({ group: 1, special: 1 }))
      const others = await bench.askEach(limit, Array(8).fill({ group: 1, special: 0 }))
      expect([...special, ...others].map(({ policy, allowed }) => allowed || policy)).toEqual([
        ...[true, true, true, 'special', 'special'],
        ...[true, true, true, true, true, true, true, 'group'],
      ])
    })

    it('B110: each has its own window, of requests and of units', async () => {
      const bench = await open()
      const limit = policiesOf({ requests: minute(500), units: minute(500_000) })
      await bench.ask({ limit, cost: { requests: 1, units: 300_000 } })
      const { policies } = await (await bench.at(120_000)).ask({ limit, cost: { requests: 1, units: 10 } })
      expect(policies.map(({ remaining }) => remaining)).toEqual([499, 499_990])
    })
  })

  it('tell what they count, where it is not requests', async () => {
    const bench = await open()
    const tokens = slidingWindow({ limit: 1000, window: '1m', unit: 'tokens' })
    const limit = policiesOf({ requests: '60/1m', tokens })
    const { policies } = await bench.ask({ limit, cost: { requests: 1, tokens: 812 } })
    expect(policies.map(({ unit, remaining }) => [unit, remaining])).toEqual([
      [undefined, 59],
      ['tokens', 188],
    ])
  })

  it('count on when another unit is said', async () => {
    const bench = await open()
    await bench.ask({ limit: policiesOf(slidingWindow({ limit: 5, window: '1m' })) })
    const bytes = policiesOf(slidingWindow({ limit: 5, window: '1m', unit: 'content-bytes' }))
    expect(await bench.ask({ limit: bytes })).toMatchObject({ remaining: 3 })
  })

  describe('several charges in one call', () => {
    const address = { limiter: 'address', key: '203.0.113.9', limit: policiesOf(minute(5)) }
    const account = { limiter: 'account', key: 'anna', limit: policiesOf(minute(2)) }

    it('row 80: are one decision: all admit, or none is charged', async () => {
      const bench = await open()
      const answers = [await bench.ask(address, account), await bench.ask(address, account)]
      const refused = await bench.ask(address, account)
      expect([...answers, refused].map(({ allowed }) => allowed)).toEqual([true, true, false])
      expect(refused).toMatchObject({ remaining: 0, retryAfterMs: 60_000, receipt: null })
      expect(await bench.peek(address)).toMatchObject({ remaining: 3 })
      expect(await bench.peek(account)).toMatchObject({ remaining: 0 })
    })

    it('are listed flat, in order, each under its limiter', async () => {
      const bench = await open()
      const both = { ...account, limit: policiesOf({ burst: minute(4), long: minute(9) }) }
      const { policies, policy, receipt } = await bench.ask(address, both)
      expect(policies.map(({ limiter, policy, remaining }) => [limiter, policy, remaining])).toEqual([
        ['address', '1m', 4],
        ['account', 'burst', 3],
        ['account', 'long', 8],
      ])
      expect(policy).toBe('burst')
      expect(receipt?.charges.map(({ limiter, key }) => [limiter, key])).toEqual([
        ['address', '203.0.113.9'],
        ['account', 'anna'],
      ])
    })

    it('may be two keys of one limiter, each with its cost', async () => {
      const bench = await open()
      const limit = policiesOf(minute(5))
      await bench.ask({ limit, key: 'a', cost: 4 }, { limit, key: 'b', cost: 1 })
      expect(await bench.ask({ limit, key: 'b', cost: 1 }, { limit, key: 'a', cost: 2 })).toMatchObject({
        allowed: false,
        policies: [
          { allowed: true, remaining: 4 },
          { allowed: false, remaining: 1 },
        ],
      })
    })

    it('row 46: the same key of two limiters are two counters', async () => {
      const bench = await open()
      const limit = policiesOf(minute(5))
      await bench.ask({ limit, limiter: 'tenant-a', cost: 5 })
      expect(await bench.ask({ limit, limiter: 'tenant-b' })).toMatchObject({ remaining: 4 })
    })
  })
}
