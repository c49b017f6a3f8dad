import { spawn } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { build } from 'vite'

/** A program in a Node process of its own, for what a test worker would blur: the heap, stalls, the exit. */
export interface Child {
  /** The bundle, for whoever starts processes of it in another way. */
  readonly program: URL
  /** Runs it and gives the JSON that it printed last; throws when it fails or outlives the time. */
  run<T>(args?: readonly string[], options?: { readonly timeoutMs?: number }): Promise<T>
  remove(): Promise<void>
}

/**
 * Bundles a TypeScript program with all that it imports into one file, since Node 20 runs no TypeScript. Packages
 * resolve to their source, as in every test, so that nothing has to be built before and nothing can be stale.
 */
export async function bundleChild(program: URL): Promise<Child> {
  const outDir = await mkdtemp(join(tmpdir(), 'rl-child-'))
  await build({
    configFile: false,
    logLevel: 'error',
    ssr: { noExternal: true, resolve: { conditions: ['@rl/source', 'module', 'node'] } },
    build: {
      ssr: fileURLToPath(program),
      outDir,
      target: 'node20',
      minify: false,
      rolldownOptions: { output: { entryFileNames: 'program.mjs' } },
    },
  })
  return {
    program: pathToFileURL(join(outDir, 'program.mjs')),
    run: (args = [], { timeoutMs = 120_000 } = {}) => run(join(outDir, 'program.mjs'), args, timeoutMs),
    remove: () => rm(outDir, { recursive: true }),
  }
}

function run<T>(file: string, args: readonly string[], timeoutMs: number): Promise<T> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, ['--expose-gc', file, ...args], { timeout: timeoutMs })
    let out = ''
    let err = ''
    child.stdout.on('data', (chunk) => {
      out += chunk
    })
    child.stderr.on('data', (chunk) => {
      err += chunk
    })
    child.on('error', reject)
    child.on('close', (code, signal) => {
      if (code !== 0) reject(new Error(`${file} ended with ${code ?? signal}\n${err}`))
      else resolve(JSON.parse(out.trim().split('\n').at(-1) ?? '') as T)
    })
  })
}
