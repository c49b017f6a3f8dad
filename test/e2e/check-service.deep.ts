import { randomUUID } from 'node:crypto'
import { beforeAll, expect, it } from 'vitest'
import { type LoadResult, runLoad } from '../../examples/check-service/src/bench/load.js'
import { rateOf } from '../../examples/check-service/src/bench/report.js'
import { ensureBuilt } from '../scripts/setup.mjs'
import { type Cluster, startCluster } from './check-service.js'

beforeAll(() => ensureBuilt(), 120_000)

const CONCURRENCY = 100
const ROUNDS = 10
/** 20,000 requests a side. */
const REQUESTS_A_ROUND = 2000
/** Enough for each node to have compiled what it runs often. */
const WARM_UP = 20_000
const BAR = 0.6

it.each(['token_bucket', 'sliding_window', 'sliding_window_counter', 'fixed_window'])(
  '%s: with its limiter the service answers at least 0.6 of what it answers without',
  async (algorithm) => {
    const limited = await startCluster()
    const constant = await startCluster(['--constant'])
    const sides = [limited, constant]
    for (const side of sides) await load(side, algorithm, WARM_UP)
    const rounds: Round[] = []
    for (let round = 0; round < ROUNDS; round++) {
      // Each goes first in turn, so that neither has the better half of a machine that is busy now and then.
      const order = round % 2 === 0 ? sides : [constant, limited]
      const rates = new Map<Cluster, number>()
      for (const side of order) {
        const result = await load(side, algorithm, REQUESTS_A_ROUND)
        expect([...result.answers]).toEqual([['200', REQUESTS_A_ROUND]])
        rates.set(side, rateOf(result))
      }
      rounds.push({ limited: rates.get(limited) ?? 0, constant: rates.get(constant) ?? 0 })
    }
    for (const side of sides) await side.stop()
    const [withIt, without] = [
      rounds.map(({ limited }) => limited),
      rounds.map(({ constant }) => constant),
    ].map(median)
    const ratio = median(rounds.map(({ limited, constant }) => limited / constant))
    console.log(
      `${algorithm}: ${withIt?.toFixed()} requests/s with the limiter, ${without?.toFixed()} without, ratio ${ratio.toFixed(2)} (medians)`,
    )
    expect(ratio).toBeGreaterThanOrEqual(BAR)
  },
)

/** Answers a second. */
interface Round {
  readonly limited: number
  readonly constant: number
}

function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b)
  const middle = sorted.length / 2
  return ((sorted[Math.ceil(middle) - 1] ?? 0) + (sorted[Math.floor(middle)] ?? 0)) / 2
}

/** Every request is a client of its own, in every round. */
function load({ url: origin }: Cluster, algorithm: string, requests: number): Promise<LoadResult> {
  const client = randomUUID()
  const pathFor = (index: number) => `/check?algorithm=${algorithm}&client_id=${client}-${index}`
  return runLoad({ origin, requests, concurrency: CONCURRENCY, pathFor })
}
