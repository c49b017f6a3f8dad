import { afterAll, beforeAll, expect, it } from 'vitest'
import { bundleChild, type Child } from '../support/child.js'

let child: Child
beforeAll(async () => {
  child = await bundleChild(new URL('./flood.child.ts', import.meta.url))
})
afterAll(() => child?.remove())

const timeoutMs = 600_000

it('row 49, 50: ten million keys leave 20 MB at most, and 1000 blocked keys blocked', async () => {
  const run = await child.run<{ bytes: number }>(['flood', '10000000'], { timeoutMs })
  console.log('flood:', run)
  expect(run).toMatchObject({ stillBlocked: 1000, forgotten: 0 })
  expect(run.bytes).toBeLessThanOrEqual(20_000_000)
})

it('row 51: ten million used-up keys leave no more, are counted, and warned of once', async () => {
  const run = await child.run<{ bytes: number }>(['usedUp', '10000000'], { timeoutMs })
  console.log('used up:', run)
  expect(run).toMatchObject({ keys: 100_000, forgotten: 9_901_000, warnings: 1, stillBlocked: 1000 })
  expect(run.bytes).toBeLessThanOrEqual(20_000_000)
})

it('ten million keys that are held take at most 160 bytes each', async () => {
  const run = await child.run<{ keys: number; bytesAKey: number }>(['held', '10000000', 'user'], {
    timeoutMs,
  })
  console.log('held:', run)
  expect(run.keys).toBe(10_000_000)
  expect(run.bytesAKey).toBeLessThanOrEqual(160)
})
