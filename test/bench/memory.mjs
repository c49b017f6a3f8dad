import { contenders } from './contenders.mjs'
import { table } from './report.mjs'
import { resultOf, takeTurns } from './rounds.mjs'
import { spreadOf } from './statistics.mjs'

const MOST_BYTES = 160
/** What is allocated does not vary much. */
const ROUNDS = 3

/** @param {number} rounds */
export async function memory(rounds) {
  const samples = await takeTurns(Math.min(rounds, ROUNDS), Object.keys(contenders), (name) =>
    resultOf('memory-worker.mjs', [name]),
  )
  const form = { unit: 'bytes a key', digits: 0, against: 'hono-rate-limiter' }
  const value = spreadOf(samples['@rl/core'] ?? [])
  return {
    tables: [table('a million keys, one policy', samples, form)],
    bars: [{ text: `a million keys: at most ${MOST_BYTES} bytes a key`, value, atMost: MOST_BYTES }],
    samples,
  }
}
