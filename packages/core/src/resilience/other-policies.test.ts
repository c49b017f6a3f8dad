import { expect, it } from 'vitest'
import { memoryStore } from '../memory/memory-store.js'
import type { Charge, Costs } from '../model/charge.js'
import type { Counted } from '../model/decision.js'
import { toPolicies } from '../model/limit.js'
import { slidingWindow, tokenBucket } from '../model/policy.js'
import { otherPolicies } from './other-policies.js'

const asked = toPolicies({ '1m': '1000/1m', tokens: '1000/1h' })
const others = [
  { ...tokenBucket({ capacity: 10, per: '1s' }), name: 'burst' },
  { ...slidingWindow({ limit: 50, window: '1h' }), name: 'hourly' },
]
const store = () => otherPolicies(memoryStore({ clock: () => 0 }), () => others)
const charge = (costs: Costs): Charge[] => [{ limiter: 'api', key: 'ann', policies: asked, costs }]

it('counts by the other policies, under their names', () => {
  expect(store().consume(charge(1), 'ask')).toMatchObject({
    policies: [
      { policy: 'burst', limit: 10, remaining: 9 },
      { policy: 'hourly', limit: 50, remaining: 49 },
    ],
  })
})

it.each<[string, Costs, readonly number[]]>([
  ['a number is the cost for each of them', 3, [3, 3]],
  ['a cost by name is that of the policy of the same name, else 1', { hourly: 7, '1m': 5 }, [1, 7]],
  ['a cost of 0 leaves the policy out', { burst: 0, hourly: 2 }, [0, 2]],
])('%s', (_, costs, used) => {
  const { policies } = store().consume(charge(costs), 'ask') as Counted
  expect(policies.map((policy) => policy.used)).toEqual(used)
})

it('a policy named after something that every object has costs 1 all the same', () => {
  const odd = [{ ...slidingWindow({ limit: 50, window: '1h' }), name: 'constructor' }]
  const decision = otherPolicies(memoryStore(), () => odd).consume(charge({ '1m': 5 }), 'ask')
  expect(decision).toMatchObject({ policies: [{ policy: 'constructor', used: 1 }] })
})

it('its receipt is of what was asked, survives JSON, and settles what was charged', () => {
  const over = store()
  const { receipt } = over.consume(charge(3), 'ask') as Counted
  expect(receipt?.charges).toEqual(charge(3))
  void over.settle(JSON.parse(JSON.stringify(receipt)), { tokens: 900, hourly: 1 })
  const { policies } = over.consume(charge(1), 'peek') as Counted
  expect(policies.map(({ used }) => used)).toEqual([3, 1])
})

it('a refusal and a peek have no receipt', () => {
  const over = store()
  expect(over.consume(charge(11), 'ask')).toMatchObject({ allowed: false, receipt: null })
  expect(over.consume(charge(1), 'peek')).toMatchObject({ allowed: true, receipt: null })
})

it('resets and closes', () => {
  const inner = memoryStore()
  const over = otherPolicies(inner, () => others)
  void over.consume(charge(3), 'ask')
  void over.reset({ limiter: 'api', key: 'ann', policies: asked })
  expect(inner.size).toBe(0)
  void over.consume(charge(3), 'ask')
  void over.close()
  expect(inner.size).toBe(0)
})
