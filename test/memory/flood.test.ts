import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { bundleChild, type Child } from '../support/child.js'

let child: Child
beforeAll(async () => {
  child = await bundleChild(new URL('./flood.child.ts', import.meta.url))
})
afterAll(() => child?.remove())

interface Flood {
  readonly keys: number
  readonly bytes: number
  readonly longestStallMs: number
  readonly stillBlocked: number
  readonly forgotten: number
  readonly warnings: number
}

describe('a million keys', () => {
  it.each(['address', 'user'])(
    'that are held take at most 160 bytes each, key included: %s',
    async (kind) => {
      const run = await child.run<{ keys: number; bytesAKey: number; longestStallMs: number }>([
        'held',
        '1000000',
        kind,
      ])
      console.log(`held, ${kind}:`, run)
      expect(run.keys).toBe(1_000_000)
      expect(run.bytesAKey).toBeLessThanOrEqual(160)
    },
  )

  it('row 49, 50: that pass through a store for 100,000 leave 20 MB at most, and 1000 blocked keys blocked', async () => {
    const run = await child.run<Flood>(['flood', '1000000'])
    console.log('flood:', run)
    expect(run).toMatchObject({ stillBlocked: 1000, forgotten: 0 })
    expect(run.keys).toBeLessThanOrEqual(100_000)
    expect(run.bytes).toBeLessThanOrEqual(20_000_000)
  })
})

describe('keys that are used up themselves, in a store for 100,000', () => {
  it('are all kept up to the maximum, with those blocked before', async () => {
    const run = await child.run<Flood>(['usedUp', '99000'])
    console.log('used up:', run)
    expect(run).toMatchObject({ keys: 100_000, forgotten: 0, warnings: 0, stillBlocked: 1000 })
    expect(run.bytes).toBeLessThanOrEqual(20_000_000)
  })

  it('are forgotten beyond it: each is counted, one warned of, and those blocked before stay blocked', async () => {
    const run = await child.run<Flood>(['usedUp', '500000'])
    console.log('used up, beyond:', run)
    expect(run).toMatchObject({ keys: 100_000, forgotten: 401_000, warnings: 1, stillBlocked: 1000 })
    expect(run.bytes).toBeLessThanOrEqual(20_000_000)
  })
})

describe('a key', () => {
  it('keeps nothing alive of the text that it was cut from, nor does its receipt when it is settled', async () => {
    const run = await child.run<{ keys: number; bytesAKey: number }>(['slices', '300'])
    console.log('cut from 1 MB:', run)
    expect(run.keys).toBe(300)
    expect(run.bytesAKey).toBeLessThan(10_000)
  })

  it('B83: has a log no longer than its limit after a million requests', async () => {
    const run = await child.run<{ bytes: number }>(['log', '1000000'])
    console.log('log of 100:', run)
    expect(run.bytes).toBeLessThan(1_000_000)
  })
})

describe('a process', () => {
  it('row 79, B79: ends by itself after one check: no timer, no open handle, close() twice', async () => {
    expect(await child.run(['exit'], { timeoutMs: 10_000 })).toEqual({ opened: 0 })
  })
})
