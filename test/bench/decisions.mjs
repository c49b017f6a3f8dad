import { contenders } from './contenders.mjs'
import { table } from './report.mjs'
import { resultOf, takeTurns } from './rounds.mjs'
import { scenarios } from './scenarios.mjs'
import { pairwise } from './statistics.mjs'

const OURS = '@rl/core'
/** The only other one that answers without a promise. */
const FASTEST = 'hono-rate-limiter'

/** How often we may take the time of the fastest, which gives a count and a reset where we give a whole decision. */
const LIMITS = new Map([
  ['one hot key', 1.7],
  ['all refused', 1.7],
  ['100,000 new keys', 1],
  ['100,000 known keys', 1],
])

/** @param {number} rounds */
export async function decisions(rounds) {
  const tables = []
  const bars = []
  /** @type {Record<string, import('./report.mjs').Samples>} */
  const samples = {}
  for (const scenario of Object.keys(scenarios)) {
    const measured = await takeTurns(rounds, Object.keys(contenders), (name) =>
      resultOf('decide-worker.mjs', [name, scenario]),
    )
    samples[scenario] = measured
    tables.push(table(scenario, measured, { unit: 'ns a decision', digits: 0, against: FASTEST }))
    const atMost = LIMITS.get(scenario)
    if (atMost !== undefined) bars.push(against(scenario, measured, FASTEST, atMost))
    for (const [name, { promises }] of Object.entries(contenders)) {
      if (promises) bars.push(against(scenario, measured, name, 1))
    }
  }
  return { tables, bars, samples }
}

/** @param {string} scenario @param {Record<string, number[]>} samples @param {string} peer @param {number} atMost */
function against(scenario, samples, peer, atMost) {
  const text = `${scenario}: at most ${atMost} of the time of ${peer}`
  return { text, value: pairwise(samples[OURS] ?? [], samples[peer] ?? []), atMost }
}
