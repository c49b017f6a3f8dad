import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { build } from 'vite'
import { onTestFinished } from 'vitest'
import { inRoot } from '../scripts/workspace.mjs'

/**
 * One file of web JavaScript, made from the source of a program and all it imports: nothing of Node, or it would not
 * bundle for runtimes without it.
 */
export async function bundleForWeb(
  program: string,
): Promise<{ readonly file: string; readonly text: string }> {
  const outDir = await mkdtemp(join(tmpdir(), 'rl-web-'))
  onTestFinished(() => rm(outDir, { recursive: true }))
  await build({
    configFile: false,
    logLevel: 'error',
    root: inRoot(),
    resolve: { conditions: ['@rl/source', 'workerd', 'worker', 'browser', 'module', 'import'] },
    build: {
      outDir,
      emptyOutDir: false,
      minify: false,
      target: 'es2022',
      lib: {
        entry: inRoot('test/runtimes/programs', program),
        formats: ['es'],
        fileName: () => 'program.mjs',
      },
    },
  })
  const file = join(outDir, 'program.mjs')
  return { file, text: await readFile(file, 'utf8') }
}
