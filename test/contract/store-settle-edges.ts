import { fixedWindow } from '@rl/core'
import { describe, expect, it } from 'vitest'
import { everyKind, type OpenBench, policiesOf } from './store-bench.js'

/** Index of everyKind, then when 3 charged at 700 ms are given back, after 2 more, and what is left of 5 then. */
type Edge = readonly [title: string, kind: number, at: number, left: number]

const EDGES: readonly Edge[] = [
  ['fixed window: in its second', 0, 999, 3],
  ['fixed window: not into the next', 0, 1000, 3],
  ['fixed window from the first hit: within a second of it', 1, 1699, 3],
  ['fixed window from the first hit: not into the next', 1, 1700, 3],
  ['sliding window: in its second', 2, 999, 3],
  ['sliding window: in the second after it, of what that still sees', 2, 1000, 3],
  ['sliding window: as long as anything is seen of it', 2, 1999, 3],
  ['sliding window: not into the second after that', 2, 2000, 3],
  ['sliding log: until its hit leaves', 3, 1699, 3],
  ['sliding log: not once it has left', 3, 1700, 3],
  ['token bucket: until it has been full, up to the capacity', 4, 1299, 5],
  ['token bucket: not once it has been full: that would be a second burst', 4, 1300, 3],
]

export function describeSettlingEdges(open: OpenBench): void {
  describe('a charge is given back only while it counts', () => {
    it.each(EDGES)('B119, row 78: %s', async (_, kind, at, left) => {
      const bench = await open()
      const limit = everyKind(5)[kind]?.[1] ?? []
      const charged = await (await bench.at(700)).ask({ limit, cost: 3 })
      await (await bench.at(at)).ask({ limit, cost: 2 })
      await bench.settle(charged, 0)
      expect(await bench.peek({ limit })).toMatchObject({ remaining: left })
    })

    it.each(everyKind(3))(
      'B119: %s: five at once after its end make no key and free nothing',
      async (_, limit) => {
        const bench = await open()
        const charged = await bench.ask({ limit })
        await bench.reset({ limit })
        await bench.at(2200)
        await Promise.all(Array.from({ length: 5 }, () => bench.settle(charged, 0)))
        expect(await bench.keys()).toBe(0)
        const answers = await (await bench.at(2300)).askEach(limit, [1, 1, 1, 1])
        expect(answers.map(({ allowed }) => allowed)).toEqual([true, true, true, false])
      },
    )

    it.each(everyKind(3))('%s: nothing to a key that was reset', async (_, limit) => {
      const bench = await open()
      const charged = await bench.ask({ limit, cost: 2 })
      await bench.reset({ limit })
      await bench.settle(charged, 0)
      expect(await bench.keys()).toBe(0)
      expect(await bench.ask({ limit })).toMatchObject({ remaining: 2 })
    })

    it('nothing for a policy that the key does not know', async () => {
      const bench = await open()
      const known = policiesOf({ known: fixedWindow({ limit: 5, window: '1s' }) })
      const { receipt } = await bench.ask({ limit: known, cost: 2 })
      const charges =
        receipt?.charges.map((charge) => ({ ...charge, policies: policiesOf({ other: '5/1s' }) })) ?? []
      await bench.settle({ receipt: receipt && { ...receipt, charges } }, 0)
      expect(await bench.peek({ limit: known })).toMatchObject({ remaining: 3 })
    })
  })

  describe('what was charged too little is charged later', () => {
    it.each(everyKind(5))('%s: in the time it is told, not when it began', async (_, limit) => {
      const bench = await open()
      const charged = await (await bench.at(700)).ask({ limit })
      await bench.at(5200)
      await bench.settle(charged, 4)
      expect(await bench.peek({ limit })).toMatchObject({ remaining: 2 })
    })

    it.each(everyKind(5))('%s: also where the key was reset', async (_, limit) => {
      const bench = await open()
      const charged = await bench.ask({ limit })
      await bench.reset({ limit })
      await bench.settle(charged, 4)
      expect(await bench.peek({ limit })).toMatchObject({ remaining: 2 })
    })

    it('under the limit that the charge had, when that is another now', async () => {
      const bench = await open()
      const limit = policiesOf(fixedWindow({ limit: 5, window: '1s' }))
      const charged = await bench.ask({ limit, cost: 5 })
      await bench.settle(charged, 8)
      const raised = policiesOf(fixedWindow({ limit: 10, window: '1s' }))
      expect(await bench.ask({ limit: raised })).toMatchObject({ allowed: true, remaining: 1 })
    })
  })

  describe('a charge from a time that is now to come, for the clock went back,', () => {
    it.each([
      ['fixed window: is not given back', 0, 2],
      ['fixed window from the first hit: is given back, for it counts on from now', 1, 5],
      ['sliding window: is not given back', 2, 2],
      ['sliding log: is not given back', 3, 2],
      ['token bucket: is given back', 4, 5],
    ])('row 72: %s', async (_, kind, left) => {
      const bench = await open()
      const limit = everyKind(5)[kind]?.[1] ?? []
      const charged = await (await bench.at(3_600_700)).ask({ limit, cost: 3 })
      await bench.at(700)
      await bench.settle(charged, 0)
      expect(await bench.peek({ limit })).toMatchObject({ remaining: left })
    })
  })
}
