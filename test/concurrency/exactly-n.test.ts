import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { bundleChild, type Child } from '../support/child.js'
import { keyPrefix } from '../support/keys.js'
import { runTogether } from '../support/processes.js'
import { type RedisServer, startRedis } from '../support/redis-server.js'
import type { Input, Outcome } from './callers.child.js'
import { casesOf } from './cases.js'

let server: RedisServer
let child: Child
beforeAll(async () => {
  server = await startRedis()
  child = await bundleChild(new URL('./callers.child.ts', import.meta.url))
})
afterAll(async () => {
  await child?.remove()
  await server?.stop()
})

const PROCESSES = 8

/** What became of the calls of each case, over all processes. */
async function runAll(input: Omit<Input, 'port' | 'prefix'>): Promise<ReadonlyMap<string, Outcome>> {
  const prefix = keyPrefix()
  const results = await runTogether<Readonly<Record<string, Outcome>>>({
    program: child.program,
    count: PROCESSES,
    input: () => ({ ...input, port: server.port, prefix }),
  })
  const together = (name: string): Outcome => {
    const outcomes = results.map((result) => result[name] as Outcome)
    return {
      admittedAt: outcomes.flatMap(({ admittedAt }) => admittedAt).sort((a, b) => a - b),
      remaining: outcomes.flatMap(({ remaining }) => remaining),
      refused: outcomes.reduce((sum, { refused }) => sum + refused, 0),
      failed: outcomes.reduce((sum, { failed }) => sum + failed, 0),
    }
  }
  return new Map(Object.keys(input.cases).map((name) => [name, together(name)]))
}

describe('8 processes with 2,000 calls at once on a limit of 100', () => {
  // No window ends, and nothing is refilled, in a hundred years.
  const cases = casesOf(100, '36525d')
  let outcomes: ReadonlyMap<string, Outcome>
  beforeAll(async () => {
    outcomes = await runAll({ cases, atOnce: 250, forMs: 0 })
  })

  it.each(Object.keys(cases))('exactly 100 are admitted: %s', (name) => {
    const outcome = outcomes.get(name)
    expect(outcome).toMatchObject({ refused: 1900, failed: 0 })
    expect(outcome?.admittedAt).toHaveLength(100)
  })

  it.each(Object.keys(cases))('and each is told another number that remain: %s', (name) => {
    const remaining = [...(outcomes.get(name)?.remaining ?? [])].sort((a, b) => a - b)
    expect(remaining).toEqual(Array.from({ length: 100 }, (_, i) => i))
  })
})

describe('8 processes that ask for 1.5 seconds, on a limit of 20 in 200 ms', () => {
  const limit = 20
  const windowMs = 200
  const cases = casesOf(limit, `${windowMs}ms`)
  const share = (ms: number): number => limit + Math.floor((limit * ms) / windowMs)
  /** The most that may be admitted within a span of time, its two ends included. */
  const bounds: Readonly<Record<string, (ms: number) => number>> = {
    'fixed window': (ms) => limit * (Math.floor(ms / windowMs) + 2),
    'fixed window from the first hit': (ms) => limit * (Math.floor(ms / windowMs) + 2),
    'sliding window': share,
    'sliding log': (ms) => limit * (Math.floor(ms / windowMs) + 1),
    'token bucket': share,
    'three policies': (ms) => limit * (Math.floor(ms / windowMs) + 1),
  }
  let outcomes: ReadonlyMap<string, Outcome>
  beforeAll(async () => {
    outcomes = await runAll({ cases, atOnce: 4, forMs: 1500 })
  })

  it.each(Object.entries(bounds))('no span of time has more admissions than promised: %s', (name, bound) => {
    const { admittedAt = [], failed = 0 } = outcomes.get(name) ?? {}
    const excess = admittedAt.flatMap((from, i) =>
      admittedAt
        .slice(i)
        .map((to, j) => j + 1 - bound(to - from))
        .filter((more) => more > 0),
    )
    expect(excess).toEqual([])
    expect(failed).toBe(0)
    // Else there was nothing to see.
    expect(admittedAt.length).toBeGreaterThan(3 * limit)
  })

  it('a fixed window has 20 in each', () => {
    const { admittedAt = [] } = outcomes.get('fixed window') ?? {}
    const counts = new Map<number, number>()
    for (const at of admittedAt)
      counts.set(Math.floor(at / windowMs), (counts.get(Math.floor(at / windowMs)) ?? 0) + 1)
    expect(Math.max(...counts.values())).toBe(20)
  })
})
