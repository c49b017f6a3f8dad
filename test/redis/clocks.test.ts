import { fixedWindow, slidingLog, slidingWindow, tokenBucket } from '@rl/core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { bundleChild, type Child } from '../support/child.js'
import { keyPrefix } from '../support/keys.js'
import { runTogether } from '../support/processes.js'
import { useServer } from '../support/use-redis.js'
import type { Input, Told } from './clocks.child.js'

const HOUR = 3_600_000
const YEAR = 365 * 24 * HOUR
const limits = {
  'fixed window': fixedWindow({ limit: 10, window: YEAR, align: 'first-hit' }),
  'sliding window': slidingWindow({ limit: 10, window: 36_525 * 24 * HOUR }),
  'sliding log': slidingLog({ limit: 10, window: YEAR }),
  'token bucket': tokenBucket({ capacity: 10, per: YEAR }),
}

describe('three processes, two of which have clocks (Date and performance) that are an hour off', () => {
  const server = useServer()
  let child: Child
  let told: readonly Told[]
  beforeAll(async () => {
    child = await bundleChild(new URL('./clocks.child.ts', import.meta.url))
    const prefix = keyPrefix()
    const input = (index: number): Input => ({
      port: server().port,
      prefix,
      aheadMs: [-HOUR, 0, HOUR][index] as number,
      limits,
    })
    told = await runTogether<Told>({ program: child.program, count: 3, input })
  })
  afterAll(() => child?.remove())

  it.each(Object.keys(limits))('count as one: %s', (name) => {
    const decisions = told.flatMap((each) => each[name] ?? [])
    expect(decisions.every(({ allowed }) => allowed)).toBe(true)
    expect(decisions.map(({ remaining }) => remaining).sort()).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9])
  })

  it.each(['fixed window', 'sliding log'])('are told the same time: %s', (name) => {
    const resets = told.flatMap((each) => each[name] ?? []).map(({ resetAfterMs }) => Number(resetAfterMs))
    expect(Math.max(...resets)).toBe(YEAR)
    // As long as the test took, not an hour.
    expect(Math.min(...resets)).toBeGreaterThan(YEAR - 60_000)
  })

  it('send one call a decision, after the first of each process', async () => {
    const { evalsha, eval: byText } = await server().commandstats()
    const calls = (evalsha?.calls ?? 0) + (byText?.calls ?? 0)
    // 36 decisions; of the four that a process begins with each may be told the time, and lack its script.
    expect(calls).toBeGreaterThanOrEqual(36)
    expect(calls).toBeLessThanOrEqual(36 + 3 * 4 * 2)
  })
})
