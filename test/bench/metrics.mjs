import { table } from './report.mjs'
import { resultOf, takeTurns } from './rounds.mjs'
import { pairwise } from './statistics.mjs'

const WITHOUT = 'nobody listens'
const WITH = 'collected for Prometheus'
const WAYS = [WITHOUT, 'an empty subscriber', WITH]
const AT_MOST = 1.3

/** What metrics cost a decision in memory. @param {number} rounds */
export async function metrics(rounds) {
  const tables = []
  const bars = []
  /** @type {Record<string, import('./report.mjs').Samples>} */
  const samples = {}
  for (const policies of ['one policy', 'two policies']) {
    const title = `metrics, ${policies}`
    const measured = await takeTurns(rounds, WAYS, (way) => resultOf('metrics-worker.mjs', [way, policies]))
    samples[title] = measured
    tables.push(table(title, measured, { unit: 'ns a decision', digits: 0, against: WITHOUT }))
    const text = `metrics, ${policies}: at most ${AT_MOST} of the time in memory without`
    bars.push({ text, value: pairwise(measured[WITH] ?? [], measured[WITHOUT] ?? []), atMost: AT_MOST })
  }
  return { tables, bars, samples }
}
