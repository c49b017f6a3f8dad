import { placing } from '../children.mjs'
import { wideTable } from '../report.mjs'
import { difference, pairwise, spreadOf } from '../statistics.mjs'
import { BARE, frameworks } from './frameworks.mjs'
import { serveInTurns } from './run.mjs'

const OUTCOMES = /** @type {const} */ (['allowed', 'refused'])

/** @typedef {Record<'rate' | 'cpu' | 'loader', Record<string, number[]>>} Measured */

/** @param {string} framework @param {number} rounds */
export async function http(framework, rounds) {
  const { title, ours, limiters, added, kept } = /** @type {import('./frameworks.mjs').Framework} */ (
    frameworks[framework]
  )
  const names = [BARE, ...Object.keys(limiters)]
  const samples = { allowed: nothing(names), refused: nothing(names) }
  for (let round = 0; round < rounds; round++) {
    for (const outcome of OUTCOMES) {
      const runs = await serveInTurns(framework, names, outcome)
      for (const [name, run] of Object.entries(runs)) {
        for (const what of /** @type {const} */ (['rate', 'cpu', 'loader']))
          samples[outcome][what][name]?.push(run[what])
      }
    }
  }
  const tables = OUTCOMES.map((outcome) => tableOf(`${title}, ${outcome}`, samples[outcome]))
  const ratio = (/** @type {string} */ peer) => ratioOfAdded(samples.allowed.cpu, ours, peer)
  const bars = Object.entries(added).map(([peer, atMost]) => ({
    text: `${title}, allowed: at most ${atMost} of the CPU that ${peer} adds`,
    value: ratio(peer),
    atMost,
  }))
  const value = pairwise(samples.refused.rate[ours] ?? [], samples.refused.rate[BARE] ?? [])
  const refused = {
    text: `${title}, refused: at least ${kept} of the rate of bare ${title}`,
    value,
    atLeast: kept,
  }
  return { tables: [...tables, placing], bars: [...bars, refused], samples }
}

/** @param {readonly string[]} names @returns {Measured} */
function nothing(names) {
  const none = () => Object.fromEntries(names.map((name) => [name, []]))
  return { rate: none(), cpu: none(), loader: none() }
}

/** @param {string} title @param {Measured} samples */
function tableOf(title, { rate, cpu }) {
  const added = Object.fromEntries(
    Object.keys(cpu)
      .filter((name) => name !== BARE)
      .map((name) => [name, over(cpu, name)]),
  )
  return wideTable(title, [
    { samples: rate, unit: 'requests a second', digits: 0, against: BARE },
    { samples: cpu, unit: 'µs of CPU a request', digits: 1 },
    { samples: added, unit: 'added to bare', digits: 2 },
  ])
}

/** Round by round, what a limiter costs beyond the bare framework. @param {Record<string, number[]>} cpu @param {string} name */
function over(cpu, name) {
  return difference(cpu[name] ?? [], cpu[BARE] ?? [])
}

/** @param {Record<string, number[]>} cpu @param {string} ours @param {string} peer */
function ratioOfAdded(cpu, ours, peer) {
  // Differences of two noisy numbers: their medians are steadier than the median of their ratios.
  const { median } = spreadOf(over(cpu, peer))
  return spreadOf(over(cpu, ours).map((us) => us / median))
}
