import { apps, BARE } from './apps.mjs'
import { serve } from './http-run.mjs'
import { table } from './report.mjs'
import { takeTurns } from './rounds.mjs'
import { pairwise, spreadOf } from './statistics.mjs'

const OURS = '@rl/express'
const PEER = 'express-rate-limit'

/** @param {number} rounds */
export async function http(rounds) {
  const tables = []
  /** @type {Record<string, { cpu: import('./report.mjs').Samples, rate: import('./report.mjs').Samples }>} */
  const samples = {}
  for (const outcome of /** @type {const} */ (['allowed', 'refused'])) {
    /** @type {Record<string, number[]>} */
    const rate = Object.fromEntries(apps.map((name) => [name, []]))
    const cpu = await takeTurns(rounds, apps, async (name) => {
      const run = await serve(name, outcome, name !== BARE)
      rate[name]?.push(run.rate)
      return run.cpu
    })
    samples[outcome] = { cpu, rate }
    tables.push(
      table(`Express 5, ${outcome}`, cpu, { unit: 'µs of CPU a request', digits: 1, against: BARE }),
    )
    tables.push(table(`Express 5, ${outcome}`, rate, { unit: 'requests a second', digits: 0, against: BARE }))
  }
  return { tables, bars: [added(samples.allowed?.cpu ?? {}), kept(samples.refused?.rate ?? {})], samples }
}

/** @param {import('./report.mjs').Samples} cpu */
function added(cpu) {
  const over = (/** @type {string} */ name) =>
    (cpu[name] ?? []).map((us, round) => us - (cpu[BARE]?.[round] ?? 0))
  // Differences of two noisy numbers: their medians are steadier than the median of their ratios.
  const value = pairwise(
    over(OURS),
    over(PEER).map(() => spreadOf(over(PEER)).median),
  )
  return { text: `Express, allowed: at most half of the CPU that ${PEER} adds`, value, atMost: 0.5 }
}

/** @param {import('./report.mjs').Samples} rate */
function kept(rate) {
  const value = pairwise(rate[OURS] ?? [], rate[BARE] ?? [])
  return { text: 'Express, refused: at least 0.95 of the rate of bare Express', value, atLeast: 0.95 }
}
