import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

const WARM_UP = 6_000
const MEASURED = 16_000
const ENDLESS = 100_000_000

/**
 * Requests a second, and microseconds of server CPU a request, of one application in one run.
 * @param {string} app @param {'allowed' | 'refused'} outcome @param {boolean} limits false: it answers 200 in any case
 */
export async function serve(app, outcome, limits) {
  const refused = outcome === 'refused' && limits
  const server = start('http-server.mjs', [app, String(refused ? 1 : ENDLESS)])
  const [port] = await once(server, 'message')
  if (refused) await fetch(`http://127.0.0.1:${port}/`)
  const load = start('http-load.mjs', [String(port), refused ? '429' : '200'])
  try {
    await once(load, 'message')
    await ask(load, WARM_UP)
    const before = await ask(server, 0)
    const seconds = await ask(load, MEASURED)
    const cpu = (await ask(server, 0)) - before
    return { rate: MEASURED / seconds, cpu: cpu / MEASURED }
  } finally {
    load.kill()
    server.kill()
  }
}

/** @param {string} file @param {string[]} args */
function start(file, args) {
  const env = { ...process.env, NODE_ENV: 'production' }
  return fork(fileURLToPath(new URL(file, import.meta.url)), args, { env })
}

/** @param {import('node:child_process').ChildProcess} child @param {number} message @returns {Promise<number>} */
async function ask(child, message) {
  const gone = new AbortController()
  const failed = once(child, 'exit', { signal: gone.signal }).then(
    ([code]) => Promise.reject(new Error(`a process of the benchmark ended with ${code}`)),
    () => 0,
  )
  const answered = once(child, 'message', { signal: gone.signal }).then(([answer]) => Number(answer))
  child.send(message)
  try {
    return await Promise.race([answered, failed])
  } finally {
    gone.abort()
  }
}
