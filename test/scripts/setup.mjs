// Everything that a fresh machine with Node and npm lacks. Each step does nothing when it was done before.
import { spawnSync } from 'node:child_process'
import { compileAll, compileInputs, compileOutputs } from './compile.mjs'
import { inRoot, once, pnpm, run, workspaceFolders } from './workspace.mjs'

/** Installs the dependencies that the lockfile names. */
export function ensureTree() {
  once('tree', {
    inputs: () => [
      ...['pnpm-lock.yaml', 'pnpm-workspace.yaml', '.pnpmfile.cjs', 'package.json'].map((name) =>
        inRoot(name),
      ),
      ...workspaceFolders().map((folder) => inRoot(folder, 'package.json')),
    ],
    outputs: workspaceFolders().map((folder) => inRoot(folder, 'node_modules')),
    work: () => pnpm(['install', '--filter', `!./${RUNTIMES}`]),
  })
}

/** Other runtimes are most of a gigabyte, so only the deep suite brings them. */
const RUNTIMES = 'test/runtimes'

export function ensureRuntimes() {
  once('runtimes', {
    inputs: () => [inRoot('pnpm-lock.yaml'), inRoot(RUNTIMES, 'package.json')],
    outputs: [inRoot(RUNTIMES, 'node_modules')],
    work: () => pnpm(['install']),
  })
}

/** Builds the packages and the examples. */
export function ensureBuilt() {
  once('build', { inputs: compileInputs, outputs: compileOutputs(), work: compileAll })
}

/** Brings redis-server: the tests that need it never skip, and examples start one of their own. */
export function ensureRedis() {
  if (hasRedis()) return
  try {
    apt(['update'])
    apt(['install', '--yes', '--no-install-recommends', 'redis-server'])
  } catch (error) {
    throw new Error(noRedis, { cause: error })
  }
  if (!hasRedis()) throw new Error(noRedis)
}

const noRedis =
  'This starts a redis-server of its own, which is not on the PATH and could not be installed with apt-get ' +
  '(as root, or through sudo without a password). Please install it: redis-server on Debian, redis with Homebrew.'

const hasRedis = () => spawnSync('redis-server', ['--version']).status === 0

/** @param {string[]} args */
const apt = (args) =>
  process.getuid?.() === 0 ? run('apt-get', args) : run('sudo', ['-n', 'apt-get', ...args])
