import { execFile } from 'node:child_process'
import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { pack } from '../scripts/pack.mjs'
import { inRoot, readJson } from '../scripts/workspace.mjs'

/** The consumers in a folder outside the workspace, with the packed packages installed beside them by npm. */
export interface Installed {
  readonly folder: string
  readonly packages: readonly { readonly name: string; readonly tarball: string }[]
  /** Runs a program there and gives what it printed. */
  run(command: string, ...args: string[]): Promise<string>
  /**
   * Compiles a consumer, declarations of packages included, with its own TypeScript or another; gives the diagnostics in
   * its files and in ours. What others publish is not always without, for instance where npm gives `@types/koa` a newer
   * package than it was written for.
   */
  compile(
    consumer: string,
    options?: { readonly tsc?: string; readonly args?: readonly string[] },
  ): Promise<string[]>
  remove(): Promise<void>
}

export async function installPacked(): Promise<Installed> {
  const folder = await mkdtemp(join(tmpdir(), 'rl-installed-'))
  const run: Installed['run'] = async (command, ...args) =>
    (await promisify(execFile)(command, args, { cwd: folder })).stdout
  const packages = pack(folder)
  await cp(inRoot('test/package/consumers'), folder, { recursive: true })
  await writeFile(join(folder, 'package.json'), '{ "private": true }\n')
  const tarballs = packages.map(({ tarball }) => tarball)
  await run('npm', 'install', '--no-audit', '--no-fund', '--prefer-offline', ...tarballs, ...peers())
  const compile: Installed['compile'] = async (consumer, options = {}) => {
    const { tsc = join(folder, 'node_modules/typescript/bin/tsc'), args = [] } = options
    const { stdout } = await runAnyway(
      process.execPath,
      [tsc, '-p', consumer, '--pretty', 'false', ...args],
      folder,
    )
    return stdout.split('\n').filter((line) => /\berror TS\d+/.test(line) && !FOREIGN.test(line))
  }
  return { folder, packages, run, compile, remove: () => rm(folder, { recursive: true }) }
}

const FOREIGN = /^node_modules\/(?!@rl\/)/

/** Also where it fails: a compiler that has something to say does. */
function runAnyway(command: string, args: readonly string[], cwd: string): Promise<{ stdout: string }> {
  return new Promise((resolve) => {
    execFile(command, args, { cwd, maxBuffer: 2 ** 26 }, (_error, stdout) => resolve({ stdout }))
  })
}

/** What a consumer has besides our packages, at the versions that the workspace uses. */
const PEERS = [
  ...['express', '@types/express', 'koa', '@types/koa', 'hono', '@hono/node-server', 'fastify', 'ioredis'],
  'prom-client',
  'typescript',
]

function peers(): string[] {
  const used = {
    ...readJson(inRoot('package.json')).devDependencies,
    ...readJson(inRoot('test/package.json')).devDependencies,
  }
  return PEERS.map((name) => `${name}@${used[name]}`)
}
