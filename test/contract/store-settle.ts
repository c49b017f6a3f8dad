import { fixedWindow, type Receipt } from '@rl/core'
import { describe, expect, it } from 'vitest'
import { type Bench, everyKind, type OpenBench, policiesOf } from './store-bench.js'

const five = policiesOf(fixedWindow({ limit: 5, window: '1s' }))
const both = policiesOf({ requests: fixedWindow({ limit: 5, window: '1s' }), tokens: '1000/1s' })
const left = async (bench: Bench, limit = five) =>
  (await bench.peek({ limit })).policies.map((one) => one.remaining)

export function describeSettling(open: OpenBench): void {
  describe('settling a charge', () => {
    it.each(everyKind(5))('%s: gives back what it did not cost', async (_, limit) => {
      const bench = await open()
      const charged = await bench.ask({ limit, cost: 4 })
      await bench.settle(charged, 1)
      expect(await left(bench, limit)).toEqual([4])
    })

    it.each(everyKind(5))('%s: gives back all of it: as if nothing had been', async (_, limit) => {
      const bench = await open()
      await bench.settle(await bench.ask({ limit, cost: 4 }), 0)
      expect(await bench.ask({ limit, cost: 5 })).toMatchObject({ allowed: true, remaining: 0 })
    })

    it.each(everyKind(5))('%s: charges what it cost more, whatever is left', async (_, limit) => {
      const bench = await open()
      await bench.settle(await bench.ask({ limit, cost: 5 }), 7)
      const forced = await open()
      await forced.force({ limit, cost: 7 })
      expect(await bench.ask({ limit })).toEqual(await forced.ask({ limit }))
    })

    it.each(everyKind(5))('%s: at what was charged changes nothing', async (_, limit) => {
      const bench = await open()
      const charged = await bench.ask({ limit, cost: 4 })
      const before = await bench.peek({ limit })
      await bench.settle(charged, 4)
      expect(await bench.peek({ limit })).toEqual(before)
    })

    it.each(everyKind(5))('row 78: %s: twice is once', async (_, limit) => {
      const bench = await open()
      const charged = await bench.ask({ limit, cost: 2 })
      await bench.ask({ limit, cost: 3 })
      await bench.settle(charged, 0)
      await bench.settle(charged, 0)
      expect(await left(bench, limit)).toEqual([2])
    })

    it('twice is once for a debt too, and the first word counts', async () => {
      const bench = await open()
      const charged = await bench.ask({ limit: five, cost: 2 })
      await bench.settle(charged, 3)
      await bench.settle(charged, 5)
      await bench.settle(charged, 0)
      expect(await left(bench)).toEqual([2])
    })

    it('is of that charge alone: two equal ones at one time are two', async () => {
      const bench = await open()
      const charged = [await bench.ask({ limit: five, cost: 2 }), await bench.ask({ limit: five, cost: 2 })]
      for (const one of charged) await bench.settle(one, 1)
      expect(await left(bench)).toEqual([3])
    })

    it.each(everyKind(5).map(([kind], i) => [kind, i] as const))(
      '%s: after the limit was lowered never gives more than the new one',
      async (_, i) => {
        const bench = await open()
        const charged = await bench.ask({ limit: everyKind(9)[i]?.[1] ?? [], cost: 8 })
        const lowered = everyKind(3)[i]?.[1] ?? []
        await bench.ask({ limit: lowered })
        await bench.settle(charged, 0)
        expect(await left(bench, lowered)).toEqual([3])
        const answers = await bench.askEach(lowered, [1, 1, 1, 1])
        expect(answers.map(({ allowed }) => allowed)).toEqual([true, true, true, false])
      },
    )

    it('B118: never gives more than the limit', async () => {
      const bench = await open()
      const charged = await bench.ask({ limit: five, cost: 3 })
      await bench.reset({ limit: five })
      await bench.ask({ limit: five })
      await bench.settle(charged, 0)
      expect(await left(bench)).toEqual([5])
    })

    it('is possible for a forced charge', async () => {
      const bench = await open()
      await bench.ask({ limit: five, cost: 4 })
      await bench.settle(await bench.force({ limit: five, cost: 3 }), 0)
      expect(await left(bench)).toEqual([1])
    })

    it('works with a receipt that went through JSON', async () => {
      const bench = await open()
      const { receipt } = await bench.ask({ limit: five, cost: 4 })
      await bench.settle({ receipt: JSON.parse(JSON.stringify(receipt)) as Receipt }, 1)
      expect(await left(bench)).toEqual([4])
    })

    it('of another store does nothing', async () => {
      const bench = await open()
      const { receipt } = await bench.ask({ limit: five, cost: 4 })
      await bench.settle({ receipt: receipt && { ...receipt, store: 'elsewhere' } }, 0)
      await bench.settle({ receipt: receipt && { ...receipt, store: 'elsewhere' } }, 9)
      expect(await left(bench)).toEqual([1])
    })
  })

  describe('settling by policy name', () => {
    it('corrects each policy', async () => {
      const bench = await open()
      const charged = await bench.ask({ limit: both, cost: { requests: 1, tokens: 800 } })
      await bench.settle(charged, { requests: 1, tokens: 300 })
      expect(await left(bench, both)).toEqual([4, 700])
    })

    it('leaves those alone that are not named', async () => {
      const bench = await open()
      const charged = await bench.ask({ limit: both, cost: { requests: 2, tokens: 800 } })
      await bench.settle(charged, { tokens: 900 })
      expect(await left(bench, both)).toEqual([3, 100])
    })

    it('one number is the cost for each', async () => {
      const bench = await open()
      await bench.settle(await bench.ask({ limit: both, cost: { requests: 1, tokens: 800 } }), 2)
      expect(await left(bench, both)).toEqual([3, 998])
    })

    it('may charge a policy that was left out', async () => {
      const bench = await open()
      await bench.settle(await bench.ask({ limit: both, cost: { requests: 1, tokens: 0 } }), { tokens: 40 })
      expect(await left(bench, both)).toEqual([4, 960])
    })
  })

  describe('settling several charges', () => {
    const calls = ['a', 'b'].map((key) => ({ limit: five, key, cost: 2 }))

    it('corrects each of them', async () => {
      const bench = await open()
      await bench.settle(await bench.ask(...calls), 0)
      expect((await bench.peek(...calls)).policies.map(({ remaining }) => remaining)).toEqual([5, 5])
    })

    it('is possible for one after the other', async () => {
      const bench = await open()
      const { receipt } = await bench.ask(...calls)
      for (const charge of receipt?.charges ?? []) {
        await bench.settle({ receipt: receipt && { ...receipt, charges: [charge] } }, 1)
      }
      expect((await bench.peek(...calls)).policies.map(({ remaining }) => remaining)).toEqual([4, 4])
    })
  })
}
