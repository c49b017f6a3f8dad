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
  return { folder, packages, run, remove: () => rm(folder, { recursive: true }) }
}

/** What a consumer has besides our packages, at the versions that the workspace uses. */
function peers(): string[] {
  const used = {
    ...readJson(inRoot('package.json')).devDependencies,
    ...readJson(inRoot('test/package.json')).devDependencies,
  }
  return ['express', '@types/express', 'typescript'].map((name) => `${name}@${used[name]}`)
}
