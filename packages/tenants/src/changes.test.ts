import { expect, it } from 'vitest'
import { Breath } from './breath.js'
import { changesOf } from './changes.js'
import { toSnapshot } from './snapshot.js'

interface File {
  readonly default: string
  readonly plans: Readonly<Record<string, { limit: unknown; profiles?: unknown }>>
  readonly tenants: Readonly<Record<string, { plan: string; name?: string; keys?: readonly string[] }>>
}

const BEFORE: File = {
  default: 'free',
  plans: { free: { limit: '5/1m' }, pro: { limit: '600/1m', profiles: { a: null } } },
  tenants: { acme: { plan: 'pro', keys: ['key-1'] }, beta: { plan: 'free', keys: ['key-2'] } },
}

async function told(after: Partial<File>): Promise<string> {
  const of = (file: File) => toSnapshot(file, new Breath())
  return changesOf(await of(BEFORE), await of({ ...BEFORE, ...after }), new Breath())
}

it.each<[Partial<File>, string]>([
  [{}, ''],
  [{ default: 'pro' }, 'default plan free → pro'],
  [{ plans: { ...BEFORE.plans, gold: { limit: '9/1s' } } }, '1 plan added: gold'],
  [{ plans: { ...BEFORE.plans, free: { limit: '6/1m' } } }, '1 plan changed: free'],
  [{ plans: { ...BEFORE.plans, pro: { limit: '600/1m' } } }, '1 plan changed: pro'],
  [{ tenants: { ...BEFORE.tenants, gamma: { plan: 'free' } } }, '1 tenant added: gamma'],
  [{ tenants: {} }, '2 tenants removed: acme, beta'],
  [
    {
      tenants: {
        acme: { plan: 'free', keys: ['key-1', 'key-9'] },
        beta: { plan: 'free', name: 'B', keys: ['key-2'] },
      },
    },
    '2 tenants changed: acme (plan pro → free, keys), beta (name)',
  ],
])('%j: %s', async (after, words) => {
  expect(await told(after)).toBe(words)
})

it('of many the first ten are named', async () => {
  const many = Object.fromEntries(Array.from({ length: 12 }, (_, i) => [`t${i}`, { plan: 'free' }]))
  expect(await told({ tenants: { ...BEFORE.tenants, ...many } })).toBe(
    '12 tenants added: t0, t1, t2, t3, t4, t5, t6, t7, t8, t9 and 2 more',
  )
})
