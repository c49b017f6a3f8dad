import { randomUUID } from 'node:crypto'
import { beforeAll, expect, it } from 'vitest'
import { type LoadResult, runLoad } from '../../examples/check-service/src/bench/load.js'
import { ensureBuilt } from '../scripts/setup.mjs'
import { type Cluster, startCluster } from './check-service.js'

beforeAll(() => ensureBuilt(), 120_000)

const CONCURRENCY = 100
const ROUNDS = 10
/** 20,000 requests a side. */
const REQUESTS_A_ROUND = 2000
const WARM_UP = 4000
const BAR = 0.6

it.each(['token_bucket', 'sliding_window', 'sliding_window_counter', 'fixed_window'])(
  '%s: with its limiter the service answers at least 0.6 of what it answers without',
  async (algorithm) => {
    const limited = await startCluster()
    const constant = await startCluster(['--constant'])
    const sides = [limited, constant]
    for (const side of sides) await load(side, algorithm, WARM_UP)
    const elapsed = [0, 0]
    for (let round = 0; round < ROUNDS; round++) {
      // Each goes first in turn, so that neither has the better half of a machine that is busy now and then.
      for (const index of round % 2 === 0 ? [0, 1] : [1, 0]) {
        const { elapsedMs, answers } = await load(sides[index] as Cluster, algorithm, REQUESTS_A_ROUND)
        expect([...answers]).toEqual([['200', REQUESTS_A_ROUND]])
        elapsed[index] = (elapsed[index] ?? 0) + elapsedMs
      }
    }
    for (const side of sides) await side.stop()
    const [withIt, without] = elapsed.map((ms) => (1000 * ROUNDS * REQUESTS_A_ROUND) / ms) as [number, number]
    const ratio = withIt / without
    console.log(
      `${algorithm}: ${Math.round(withIt)} requests/s with the limiter, ${Math.round(without)} without: ${ratio.toFixed(2)}`,
    )
    expect(ratio).toBeGreaterThanOrEqual(BAR)
  },
)

/** Every request is a client of its own, in every round. */
function load({ url: origin }: Cluster, algorithm: string, requests: number): Promise<LoadResult> {
  const client = randomUUID()
  const pathFor = (index: number) => `/check?algorithm=${algorithm}&client_id=${client}-${index}`
  return runLoad({ origin, requests, concurrency: CONCURRENCY, pathFor })
}
