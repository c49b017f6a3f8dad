import { fork, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/** Two cores that we may use, or none where they can't be had: then everyone runs where the system likes. */
const cores = pinnable() ? allowedCores() : []

/** What to say of it below the tables. */
export const placing =
  cores.length > 1
    ? 'What is measured and what loads it are each pinned to a core of its own (taskset).'
    : 'Nothing is pinned to a core: taskset is not there, or there is one core only.'

/** The words before a command that keep it on a core: 0 for what is measured, 1 for what it talks to. @param {0 | 1} core */
export function onCore(core) {
  return cores.length > 1 ? ['taskset', '-c', String(cores[core])] : []
}

/**
 * A program of ours in a process of its own, on a core of its own.
 * @param {string} file beside `from` @param {{ from: string, args?: readonly string[], core: 0 | 1 }} place
 */
export function start(file, { from, args = [], core }) {
  const [execPath = '', ...execArgv] = [...onCore(core), process.execPath]
  const env = { ...process.env, NODE_ENV: 'production' }
  return fork(fileURLToPath(new URL(file, from)), args, { env, execPath, execArgv })
}

/**
 * Its answer to a message; without one, what it says of itself next.
 * @param {import('node:child_process').ChildProcess} child @param {unknown} [message] @returns {Promise<any>}
 */
export async function ask(child, message) {
  const gone = new AbortController()
  const failed = once(child, 'exit', { signal: gone.signal }).then(
    ([code]) => Promise.reject(new Error(`a process of the benchmark ended with ${code}`)),
    () => {},
  )
  const answered = once(child, 'message', { signal: gone.signal }).then(([answer]) => answer)
  if (message !== undefined) child.send(/** @type {import('node:child_process').Serializable} */ (message))
  try {
    return await Promise.race([answered, failed])
  } finally {
    gone.abort()
    answered.catch(() => {})
  }
}

function pinnable() {
  return process.platform === 'linux' && spawnSync('taskset', ['--version']).status === 0
}

/** @returns {number[]} */
function allowedCores() {
  const list = /^Cpus_allowed_list:\s*(.*)$/m.exec(readFileSync('/proc/self/status', 'utf8'))?.[1] ?? ''
  return list.split(',').flatMap((range) => {
    const [first = 0, last = first] = range.split('-').map(Number)
    return Array.from({ length: last - first + 1 }, (_, i) => first + i)
  })
}
