// What the scripts beside this file share. Only node:*, because they run before anything is installed.
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../..', import.meta.url))

/** @param {string[]} parts */
export const inRoot = (...parts) => join(root, ...parts)

/** @param {string} file @returns {any} */
export const readJson = (file) => JSON.parse(readFileSync(file, 'utf8'))

/** The public packages, each after those it depends on. */
export const publicPackages = () => inOrder(foldersOf('packages'))

/**
 * Workspace packages with their manifests, each after those of them that it depends on.
 * @param {string[]} folders
 */
export function inOrder(folders) {
  const waiting = folders.map((folder) => ({ folder, manifest: readJson(inRoot(folder, 'package.json')) }))
  const names = new Set(waiting.map(({ manifest }) => manifest.name))
  const ordered = []
  while (waiting.length > 0) {
    const next = waiting.findIndex(
      ({ manifest: { dependencies, devDependencies } }) =>
        !Object.keys({ ...dependencies, ...devDependencies }).some((name) => names.has(name)),
    )
    if (next < 0) throw new Error('the packages depend on each other in a ring')
    ordered.push(...waiting.splice(next, 1))
    names.delete(ordered.at(-1)?.manifest.name)
  }
  return ordered
}

/** The folders of all workspace packages, from the root. */
export const workspaceFolders = () => [...foldersOf('packages'), ...foldersOf('examples'), 'test']

/** The files below a folder, or nothing where it is not there. @param {string} folder */
export function filesBelow(folder) {
  if (!existsSync(inRoot(folder))) return []
  return readdirSync(inRoot(folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
}

/**
 * Does the work unless it was done for these very files and what it made is still there.
 * @param {string} name
 * @param {{ inputs: () => string[], outputs: string[], work: () => void }} task
 */
export function once(name, { inputs, outputs, work }) {
  const stamp = inRoot('node_modules/.cache/rl', name)
  const current = existsSync(stamp) && readFileSync(stamp, 'utf8') === hashOf(inputs())
  if (current && outputs.every((path) => existsSync(path))) return
  // What fails half-way leaves nothing that counts as done.
  rmSync(stamp, { force: true })
  work()
  mkdirSync(dirname(stamp), { recursive: true })
  // Hashed again: an install may have written the lockfile.
  writeFileSync(stamp, hashOf(inputs()))
}

/**
 * Runs a command in the root; throws where it fails. A quiet one shows its output only then.
 * @param {string} command
 * @param {string[]} args
 * @param {{ quiet?: boolean }} options
 */
export function run(command, args, { quiet = false } = {}) {
  const result = spawnSync(command, args, { cwd: root, stdio: quiet ? 'pipe' : 'inherit', encoding: 'utf8' })
  if (result.status === 0) return
  if (quiet) console.error(`${result.stdout ?? ''}${result.stderr ?? ''}`)
  const reason = result.error?.message ?? `ended with ${result.status ?? result.signal}`
  throw new Error(`${command} ${args.join(' ')}: ${reason}`)
}

/**
 * Runs pnpm at the pinned version; nothing is installed globally.
 * @param {string[]} args
 * @param {{ quiet?: boolean }} options
 */
export const pnpm = (args, options = {}) =>
  run('npx', ['--yes', readJson(inRoot('package.json')).packageManager, ...args], options)

/** The program of a package that the root depends on. @param {string} name */
export const bin = (name) => inRoot('node_modules/.bin', name)

/** Runs a script's body; what it throws is shown without a stack. @param {() => unknown} body */
export async function main(body) {
  try {
    await body()
  } catch (error) {
    console.error(error instanceof Error ? error.message : error)
    process.exitCode = 1
  }
}

/** @param {string} parent */
function foldersOf(parent) {
  if (!existsSync(inRoot(parent))) return []
  return readdirSync(inRoot(parent))
    .map((name) => join(parent, name))
    .filter((folder) => existsSync(inRoot(folder, 'package.json')))
}

/** @param {string[]} files */
function hashOf(files) {
  const hash = createHash('sha256')
  for (const file of [...files].sort()) {
    if (existsSync(file)) hash.update(file).update('\0').update(readFileSync(file)).update('\0')
  }
  return hash.digest('hex')
}
