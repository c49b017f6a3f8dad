import { ask, placing, start } from '../children.mjs'
import { wideTable } from '../report.mjs'
import { pairwise, spreadOf } from '../statistics.mjs'
import { contenders } from './contenders.mjs'
import { startRedis } from './server.mjs'

const WARM_UP_MS = 400
/** With one call at a time it takes a second or two until all of it is compiled as it stays. */
const WARM_UP_ONE_MS = 1200
const SLICE_MS = 250
const KEYS = /** @type {const} */ (['one', 'many'])
const IN_FLIGHT = [1, 16, 64, 256]
const HELD = [1, 64, 256]
const TITLES = { one: 'one key', many: '10,000 keys' }
const FIXED = 'ours, fixed window'

const AT_LEAST = 0.9
const SERVER_AT_MOST = 2

/** @typedef {{ rate: number, cpu: number, server: number }} Turn */
/** @typedef {Record<keyof Turn, Record<string, number[]>>} Measured */

/** @param {number} rounds */
export async function redis(rounds) {
  const names = Object.keys(contenders)
  const cases = KEYS.flatMap((keys) =>
    IN_FLIGHT.map((inFlight) => ({ keys, inFlight, measured: nothing(names) })),
  )
  const server = await startRedis()
  try {
    for (let round = 0; round < rounds; round++) await oneRound(server.port, names, cases)
  } finally {
    server.stop()
  }
  const samples = Object.fromEntries(cases.map(({ measured, ...one }) => [titleOf(one), measured]))
  const bars = cases.flatMap((one) => [
    ...(HELD.includes(one.inFlight) ? of('ours').map((name) => rateBar(one, name)) : []),
    ...(HELD.includes(one.inFlight) ? [serverBar(one)] : []),
  ])
  return { tables: [...cases.map(tableOf), placing], bars, samples }
}

/** @typedef {{ keys: 'one' | 'many', inFlight: number, measured: Measured }} Case */

/** New processes, which take turns in every case. @param {number} port @param {readonly string[]} names @param {readonly Case[]} cases */
async function oneRound(port, names, cases) {
  const workers = names.map((name) => ({
    name,
    worker: start('worker.mjs', { from: import.meta.url, args: [name, String(port)], core: 0 }),
  }))
  try {
    await Promise.all(workers.map(({ worker }) => ask(worker)))
    for (const { worker } of workers) {
      for (const keys of KEYS) await ask(worker, { keys, inFlight: 64, ms: WARM_UP_MS })
      await ask(worker, { keys: 'one', inFlight: 1, ms: WARM_UP_ONE_MS })
    }
    for (const { keys, inFlight, measured } of cases) {
      for (const { name, worker } of workers) {
        const turn = await ask(worker, { keys, inFlight, ms: SLICE_MS })
        for (const what of WHAT) measured[what][name]?.push(turn[what])
      }
    }
  } finally {
    for (const { worker } of workers) worker.kill()
  }
}

const WHAT = /** @type {const} */ (['rate', 'cpu', 'server'])

/** @param {readonly string[]} names @returns {Measured} */
function nothing(names) {
  const none = () => Object.fromEntries(names.map((name) => [name, []]))
  return { rate: none(), cpu: none(), server: none() }
}

/** @param {Omit<Case, 'measured'>} one */
function titleOf({ keys, inFlight }) {
  return `Redis, ${TITLES[keys]}, ${inFlight} in flight`
}

/** @param {Case} one */
function tableOf(one) {
  const { rate, cpu, server } = one.measured
  const fastest = bestPeer(rate, 'highest')
  const cheapest = bestPeer(server, 'lowest')
  return wideTable(titleOf(one), [
    { samples: rate, unit: 'decisions a second', digits: 0, against: fastest },
    { samples: cpu, unit: 'µs of client CPU', digits: 1 },
    { samples: server, unit: 'µs of commands in the server', digits: 2, against: cheapest },
  ])
}

/** @param {Case} one @param {string} name */
function rateBar(one, name) {
  const { rate } = one.measured
  const peer = bestPeer(rate, 'highest')
  const text = `${titleOf(one)}, ${name}: at least ${AT_LEAST} of the rate of ${peer}`
  return { text, value: pairwise(rate[name] ?? [], rate[peer] ?? []), atLeast: AT_LEAST }
}

/** @param {Case} one */
function serverBar(one) {
  const { server } = one.measured
  const peer = bestPeer(server, 'lowest')
  const text = `${titleOf(one)}, ${FIXED}: at most ${SERVER_AT_MOST} of the server time of ${peer}`
  return { text, value: pairwise(server[FIXED] ?? [], server[peer] ?? []), atMost: SERVER_AT_MOST }
}

/** @param {Record<string, number[]>} samples @param {'highest' | 'lowest'} wanted */
function bestPeer(samples, wanted) {
  const sign = wanted === 'highest' ? -1 : 1
  const medianOf = (/** @type {string} */ name) => sign * spreadOf(samples[name] ?? []).median
  return [...of('peer')].sort((a, b) => medianOf(a) - medianOf(b))[0] ?? ''
}

/** @param {'ours' | 'peer'} kind */
function of(kind) {
  return Object.keys(contenders).filter((name) => contenders[name]?.kind === kind)
}
