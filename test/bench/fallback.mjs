import { table } from './report.mjs'
import { resultOf, takeTurns } from './rounds.mjs'
import { pairwise } from './statistics.mjs'

const MEMORY = 'in memory'
const WAYS = [
  MEMORY,
  'local, breaker open',
  'local, client not ready',
  'local by a share, breaker open',
  'open, breaker open',
]
const AT_MOST = 1.5

/** What a decision costs while Redis is gone, beside one that never had to do with it. @param {number} rounds */
export async function fallback(rounds) {
  const tables = []
  const bars = []
  /** @type {Record<string, import('./report.mjs').Samples>} */
  const samples = {}
  for (const keys of ['one', '50,000']) {
    const title = `while Redis is gone, keys: ${keys}`
    const measured = await takeTurns(rounds, WAYS, (way) => resultOf('fallback-worker.mjs', [way, keys]))
    samples[title] = measured
    tables.push(table(title, measured, { unit: 'ns a decision', digits: 0, against: MEMORY }))
    for (const way of WAYS.filter((name) => name.startsWith('local'))) {
      const text = `${way}, keys: ${keys}: at most ${AT_MOST} of the time in memory`
      bars.push({ text, value: pairwise(measured[way] ?? [], measured[MEMORY] ?? []), atMost: AT_MOST })
    }
  }
  return { tables, bars, samples }
}
