import { fixedWindow, slidingLog, slidingWindow, tokenBucket } from '@rl/core'
import { describe, expect, it } from 'vitest'
import { everyKind, type OpenBench, policiesOf } from './store-bench.js'

const minute = (limit: number) => policiesOf(fixedWindow({ limit, window: '1m' }))
const same = (from: number, to: number) =>
  everyKind(from).map(([name, limit], kind) => [name, limit, everyKind(to)[kind]?.[1] ?? []] as const)

export function describeLimits(open: OpenBench): void {
  describe('a limit that changes keeps what was counted', () => {
    it.each(same(100, 10).slice(0, 4))('B128: %s: lowered', async (_, limit, lowered) => {
      const bench = await open()
      await bench.ask({ limit })
      expect(await bench.ask({ limit: lowered })).toMatchObject({ limit: 10, remaining: 8 })
    })

    it.each(same(100, 1).slice(0, 4))(
      'B128, B47: %s: lowered below what was used',
      async (_, limit, lowered) => {
        const bench = await open()
        await bench.ask({ limit, cost: 2 })
        const refused = await bench.ask({ limit: lowered })
        expect(refused).toMatchObject({ allowed: false, limit: 1, remaining: 0, used: 1 })
        expect(refused.retryAfterMs).toBeGreaterThan(0)
      },
    )

    it('B128: token bucket: lowered, its level is cut to the new capacity', async () => {
      const bench = await open()
      await bench.ask({ limit: policiesOf(tokenBucket({ capacity: 100, per: '1s' })), cost: 95 })
      const lowered = policiesOf(tokenBucket({ capacity: 10, per: '1s' }))
      expect(await bench.peek({ limit: lowered })).toMatchObject({ limit: 10, remaining: 5 })
      expect(await (await bench.at(1000)).peek({ limit: lowered })).toMatchObject({ remaining: 10 })
    })

    it('token bucket: raised, its level stays and fills at the new rate', async () => {
      const bench = await open()
      await bench.ask({ limit: policiesOf(tokenBucket({ capacity: 10, per: '1s' })), cost: 8 })
      const raised = policiesOf(tokenBucket({ capacity: 20, per: '1s' }))
      expect(await bench.peek({ limit: raised })).toMatchObject({ limit: 20, remaining: 2 })
      expect(await (await bench.at(500)).peek({ limit: raised })).toMatchObject({ remaining: 12 })
    })

    it.each(same(10, 20).slice(0, 4))(
      'B129: %s: raised, and refusals had taken nothing',
      async (_, limit, raised) => {
        const bench = await open()
        await bench.askEach(limit, Array(50).fill(1))
        const answers = await bench.askEach(raised, Array(11).fill(1))
        expect(answers.map(({ allowed }) => allowed)).toEqual([...Array(10).fill(true), false])
      },
    )

    it.each(same(5, 0))('%s: lowered to 0 refuses, and raised again goes on', async (_, limit, none) => {
      const bench = await open()
      await bench.ask({ limit, cost: 2 })
      expect(await bench.ask({ limit: none })).toMatchObject({ allowed: false, retryAfterMs: null })
      expect(await bench.ask({ limit })).toMatchObject({ allowed: true })
    })
  })

  describe('a policy that changes in more than its limit starts afresh', () => {
    it.each([
      ['in its window', fixedWindow({ limit: 5, window: '2m' })],
      ['in its kind', slidingLog({ limit: 5, window: '1m' })],
      ['in its alignment', fixedWindow({ limit: 5, window: '1m', align: 'first-hit' })],
      ['in its name', { other: fixedWindow({ limit: 5, window: '1m' }) }],
    ])('%s', async (_, changed) => {
      const bench = await open()
      await bench.ask({ limit: minute(5), cost: 3 })
      expect(await bench.ask({ limit: policiesOf(changed) })).toMatchObject({ remaining: 4 })
      expect(await bench.ask({ limit: minute(5) })).toMatchObject({ remaining: 1 })
    })
  })

  it('B107: limiters with other windows count the same key apart', async () => {
    const bench = await open()
    const monthly = { limiter: 'a', limit: policiesOf(slidingLog({ limit: 10, window: '30d' })) }
    const hourly = { limiter: 'b', limit: policiesOf(slidingLog({ limit: 5, window: '1h' })) }
    expect(await bench.ask(monthly)).toMatchObject({ remaining: 9, resetAfterMs: 2_592_000_000 })
    expect(await bench.ask(hourly)).toMatchObject({ remaining: 4, resetAfterMs: 3_600_000 })
  })

  describe('a list of policies that changes keeps the counts of the others', () => {
    const [fixed, sliding, log] = [
      fixedWindow({ limit: 10, window: '1m' }),
      slidingWindow({ limit: 10, window: '1m' }),
      slidingLog({ limit: 10, window: '1m' }),
    ]
    const [one, two, three] = [
      policiesOf({ fixed }),
      policiesOf({ fixed, log }),
      policiesOf({ sliding, log, fixed }),
    ]
    const left = (policies: readonly { readonly remaining: number }[]) =>
      policies.map(({ remaining }) => remaining)

    it('when one is added', async () => {
      const bench = await open()
      await bench.ask({ limit: two, cost: { fixed: 2, log: 3 } })
      const { policies } = await bench.ask({ limit: three })
      expect(left(policies)).toEqual([9, 6, 7])
    })

    it('when one is dropped, and comes back', async () => {
      const bench = await open()
      await bench.ask({ limit: three, cost: { sliding: 1, log: 2, fixed: 3 } })
      expect(left((await bench.ask({ limit: two })).policies)).toEqual([6, 7])
      expect(left((await bench.ask({ limit: one })).policies)).toEqual([5])
      expect(left((await bench.ask({ limit: three })).policies)).toEqual([8, 6, 4])
    })

    it('when their order changes', async () => {
      const bench = await open()
      await bench.ask({ limit: two, cost: { fixed: 2, log: 3 } })
      const { policies } = await bench.ask({ limit: policiesOf({ log, fixed }) })
      expect(policies).toMatchObject([
        { policy: 'log', remaining: 6 },
        { policy: 'fixed', remaining: 7 },
      ])
    })

    it('of sixteen', async () => {
      const bench = await open()
      const limit = policiesOf(Array.from({ length: 16 }, (_, i) => `${i + 2}/${i + 1}s`))
      expect((await bench.ask({ limit })).policies).toHaveLength(16)
      expect(left((await bench.ask({ limit })).policies)).toEqual(Array.from({ length: 16 }, (_, i) => i))
    })
  })
}
