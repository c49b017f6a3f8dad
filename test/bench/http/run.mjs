import { ask, start } from '../children.mjs'
import { BARE } from './frameworks.mjs'

/** Until the compiler, which is CPU of the server too, has done its work. */
const WARM_UP_MS = 1500
/** Short, so that whatever else the machine does falls upon all of them. */
const SLICE_MS = 120
const SLICES = 16
const ENDLESS = 100_000_000

/**
 * @typedef {{ rate: number, cpu: number, loader: number }} Run requests a second, microseconds of server CPU a request, and
 *   of the loader's
 * @typedef {{ requests: number, seconds: number, cpu: number, loader: number }} Total
 */

/**
 * One application after another in short slices, each in a process of its own that lives as long as this round.
 * @param {string} framework @param {readonly string[]} names @param {'allowed' | 'refused'} outcome
 * @returns {Promise<Record<string, Run>>}
 */
export async function serveInTurns(framework, names, outcome) {
  const load = start('load.mjs', { from: import.meta.url, core: 1 })
  await ask(load)
  /** @type {Awaited<ReturnType<typeof open>>[]} */
  const apps = []
  try {
    for (const name of names) apps.push(await open(framework, name, name !== BARE && outcome === 'refused'))
    for (const app of apps) await app.slice(load, WARM_UP_MS)
    /** @type {Record<string, Total>} */
    const totals = Object.fromEntries(
      names.map((name) => [name, { requests: 0, seconds: 0, cpu: 0, loader: 0 }]),
    )
    for (let i = 0; i < SLICES; i++) {
      // There and back, so that nobody always comes after the same one.
      for (const app of i % 2 === 0 ? apps : [...apps].reverse()) {
        add(/** @type {Total} */ (totals[app.name]), await app.slice(load, SLICE_MS))
      }
    }
    return Object.fromEntries(Object.entries(totals).map(([name, total]) => [name, mean(total)]))
  } finally {
    load.kill()
    for (const { server } of apps) server.kill()
  }
}

/** @param {string} framework @param {string} name @param {boolean} refuses */
async function open(framework, name, refuses) {
  const args = [framework, name, String(refuses ? 1 : ENDLESS)]
  const server = start('server.mjs', { from: import.meta.url, args, core: 0 })
  const port = await ask(server)
  if (refuses) await fetch(`http://127.0.0.1:${port}/`)
  const status = refuses ? '429' : '200'
  /** @param {import('node:child_process').ChildProcess} load @param {number} ms @returns {Promise<Total>} */
  const slice = async (load, ms) => {
    const before = await ask(server, 0)
    const { requests, seconds, cpu: loader } = await ask(load, { port, status, ms })
    return { requests, seconds, loader, cpu: (await ask(server, 0)) - before }
  }
  return { name, server, slice }
}

/** @param {Total} total @param {Total} slice */
function add(total, { requests, seconds, cpu, loader }) {
  total.requests += requests
  total.seconds += seconds
  total.cpu += cpu
  total.loader += loader
}

/** @param {Total} total @returns {Run} */
function mean({ requests, seconds, cpu, loader }) {
  return { rate: requests / seconds, cpu: cpu / requests, loader: loader / requests }
}
