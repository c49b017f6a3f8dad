import { createLimiter, fixedWindow, slidingLog } from '@rl/core'
import { describe, expect, it } from 'vitest'
import { everyKind, type OpenBench, policiesOf } from './store-bench.js'

const five = policiesOf(fixedWindow({ limit: 5, window: '1m' }))

/** Keys as they come from the network, each beside one that is easily taken for it. */
const HOSTILE: readonly (readonly [title: string, key: string, other: string])[] = [
  ['row 39: __proto__', '__proto__', 'constructor'],
  ['row 39: hasOwnProperty', 'hasOwnProperty', 'toString'],
  ['row 41: braces', '{a}', 'a'],
  ['row 41: braces that close', '}{', '{}'],
  ['row 41: a star', '*', 'a'],
  ['row 41: line ends', 'a\r\nDEL b', 'a'],
  ['row 41: NUL', '\u0000', '\u0000\u0000'],
  ['row 41: quotes and backslashes', '\'"\\', '\'"\\\\'],
  ['row 41: emoji', '🙂', '🙃'],
  ['row 42: lone surrogates', '\ud800', '\ufffd'],
  ['row 42: lone surrogates of both kinds', '\ud800', '\udc00'],
  ['row 43: é in two ways', 'é', 'e\u0301'],
  ['row 43: upper and lower case', 'ADMIN', 'admin'],
  ['row 43: a trailing blank', 'a ', 'a'],
  ['what an escape may look like', '%2a', '*'],
  ['what an escape may look like', '%007b', '{'],
  ['what a hash may look like', '#a', 'a'],
  ['what a hash may look like', '%~a', 'a'],
  ['what joins the parts of a key', 'a:b', 'a'],
  ['B10: 10 kB that differ in the last byte', `${'x'.repeat(10_239)}a`, `${'x'.repeat(10_239)}b`],
  ['10 kB of NUL and one more', '\u0000'.repeat(10_240), '\u0000'.repeat(10_241)],
  ['256 and 257 characters', 'x'.repeat(256), 'x'.repeat(257)],
]

export function describeKeys(open: OpenBench): void {
  describe('a key from the network', () => {
    it.each(HOSTILE)('%s: case %#', async (_, key, other) => {
      const bench = await open()
      const limiter = createLimiter({
        limit: five[0] ?? '5/1m',
        store: bench.store,
        onStoreFailure: 'closed',
      })
      await limiter.consume(key, { cost: 3 })
      expect(await limiter.consume(other)).toMatchObject({ remaining: 4 })
      expect(await limiter.consume(key)).toMatchObject({ remaining: 1 })
      await limiter.reset(key)
      expect(await limiter.consume(key)).toMatchObject({ remaining: 4 })
      expect(await limiter.peek(other)).toMatchObject({ remaining: 4 })
      await limiter.close()
    })

    it.each([
      ['row 37: user a:b of limiter c and user a of limiter b:c', 'c', 'a:b', 'b:c', 'a'],
      ['row 37: the other way round', 'a', 'b:c', 'a:b', 'c'],
      ['row 38: address 1.2.3.4 of limiter 5 and 1.2.3.45 of limiter 6', '5', '1.2.3.4', '6', '1.2.3.45'],
      ['a limiter and a key of one name', 'a', 'b', 'b', 'a'],
      ['a limiter whose name begins with that of another', 'login', 'a', 'login a', 'a'],
    ])('%s are two', async (_, limiter, key, otherLimiter, otherKey) => {
      const bench = await open()
      await bench.ask({ limit: five, limiter, key, cost: 3 })
      const other = { limit: five, limiter: otherLimiter, key: otherKey }
      expect(await bench.ask(other)).toMatchObject({ remaining: 4 })
      await bench.reset(other)
      expect(await bench.peek({ limit: five, limiter, key })).toMatchObject({ remaining: 2 })
    })
  })

  describe('reset', () => {
    it.each(everyKind(3))('B15: %s: forgets what was counted', async (_, limit) => {
      const bench = await open()
      await bench.askEach(limit, [1, 1, 1])
      await bench.reset({ limit })
      expect(await bench.keys()).toBe(0)
      expect(await bench.ask({ limit })).toMatchObject({ allowed: true, remaining: 2 })
    })

    it('forgets that key only, of that limiter only', async () => {
      const bench = await open()
      const others = [
        { limit: five, key: 'b' },
        { limit: five, limiter: 'other' },
      ]
      for (const call of [{ limit: five }, ...others]) await bench.ask(call)
      await bench.reset({ limit: five })
      const { policies } = await bench.peek({ limit: five }, ...others)
      expect(policies.map(({ remaining }) => remaining)).toEqual([5, 4, 4])
    })

    it('forgets all policies of the key', async () => {
      const bench = await open()
      const limit = policiesOf({ fixed: '5/1m', log: slidingLog({ limit: 5, window: '1m' }) })
      await bench.ask({ limit, cost: 3 })
      await bench.reset({ limit })
      expect((await bench.peek({ limit })).policies.map(({ remaining }) => remaining)).toEqual([5, 5])
    })

    it('of a key that was never seen does nothing', async () => {
      const bench = await open()
      await bench.reset({ limit: five })
      expect(await bench.keys()).toBe(0)
    })
  })
}
