import { fixedWindow, slidingLog, slidingWindow, tokenBucket } from '@rl/core'
import { describe, expect, it } from 'vitest'
import { everyKind, type OpenBench, policiesOf } from './store-bench.js'

export function describeKinds(open: OpenBench): void {
  describe('every algorithm', () => {
    it.each(everyKind(2))('%s: a refusal changes nothing', async (_, limit) => {
      const bench = await open()
      await bench.ask({ limit, cost: 2 })
      const before = await bench.peek({ limit })
      for (let i = 0; i < 50; i++) await bench.ask({ limit })
      expect(await bench.peek({ limit })).toEqual(before)
    })

    it.each(everyKind(5))(
      'B30, row 70: %s: admits exactly the limit of ten in one millisecond',
      async (_, limit) => {
        const bench = await open()
        const answers = await Promise.all(Array.from({ length: 10 }, () => bench.ask({ limit })))
        expect(answers.map(({ remaining }) => remaining).sort()).toEqual([0, 0, 0, 0, 0, 0, 1, 2, 3, 4])
        expect(answers.filter(({ allowed }) => allowed)).toHaveLength(5)
      },
    )

    it.each(everyKind(3))('B47: %s: never has less than nothing left', async (_, limit) => {
      const bench = await open()
      const answers = await bench.askEach(limit, [1, 1, 1, 1, 1])
      expect(answers.map(({ remaining }) => remaining)).toEqual([2, 1, 0, 0, 0])
    })

    it.each([
      ['fixed window', fixedWindow({ limit: 1, window: '15s' }), 5000],
      ['sliding log', slidingLog({ limit: 1, window: '15s' }), 5000],
      ['sliding window', slidingWindow({ limit: 1, window: '15s' }), 20_000],
      ['token bucket', tokenBucket({ capacity: 1, per: '15s' }), 5000],
    ])('B39: %s: waits for what is left of the window', async (_, policy, retryAfterMs) => {
      const bench = await open()
      const limit = policiesOf(policy)
      await bench.ask({ limit })
      expect(await (await bench.at(10_000)).ask({ limit })).toMatchObject({ allowed: false, retryAfterMs })
    })

    it.each(everyKind(0))('row 81, B123: %s: a limit of 0 refuses everything, for ever', async (_, limit) => {
      const bench = await open()
      expect(await bench.ask({ limit })).toMatchObject({
        allowed: false,
        remaining: 0,
        resetAfterMs: 0,
        retryAfterMs: null,
        policies: [{ nextAfterMs: null }],
      })
      expect(await bench.keys()).toBe(0)
    })

    it.each(everyKind(10))(
      'B21: %s: is at the limit after a thousand windows, not above',
      async (_, limit) => {
        const bench = await open()
        await bench.ask({ limit })
        expect(await (await bench.at(1_000_000)).ask({ limit })).toMatchObject({ remaining: 9 })
      },
    )

    it.each(everyKind(5))(
      'row 72: %s: a clock that goes back an hour frees nothing and blocks for no hour',
      async (_, limit) => {
        const bench = await open()
        await (await bench.at(3_600_500)).ask({ limit, cost: 5 })
        const refused = await (await bench.at(500)).ask({ limit })
        expect(refused).toMatchObject({ allowed: false, remaining: 0 })
        const { retryAfterMs } = refused
        expect(await (await bench.at(500 + (retryAfterMs ?? Number.NaN) - 1)).ask({ limit })).toMatchObject({
          allowed: false,
        })
        expect(await (await bench.at(500 + (retryAfterMs ?? Number.NaN))).ask({ limit })).toMatchObject({
          allowed: true,
        })
      },
    )
  })
}
