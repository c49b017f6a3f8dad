// pnpm check: all that a machine can hold the tree to without running it. Every step runs; the last lines say which failed.
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { examine, pack } from './pack.mjs'
import { ensureTree } from './setup.mjs'
import { bin, inRoot, main, run, workspaceFolders } from './workspace.mjs'

/** @type {Record<string, () => void>} */
const steps = {
  types() {
    for (const folder of workspaceFolders()) run(bin('tsc'), ['-p', inRoot(folder)], { quiet: true })
  },
  'format and lint'() {
    run(bin('biome'), ['check', '--error-on-warnings'], { quiet: true })
  },
  borders() {
    run(bin('depcruise'), ['packages', 'examples', 'test'], { quiet: true })
  },
  'generated files'() {
    const generator = inRoot('packages/core/scripts/build-lua.mjs')
    if (existsSync(generator)) run(process.execPath, [generator, '--check'], { quiet: true })
  },
  packaging() {
    const folder = mkdtempSync(join(tmpdir(), 'rl-pack-'))
    try {
      for (const { tarball } of pack(folder)) examine(tarball)
    } finally {
      rmSync(folder, { recursive: true })
    }
  },
}

await main(() => {
  ensureTree()
  const failures = Object.entries(steps).flatMap(([name, step]) => attempt(name, step))
  if (failures.length > 0) throw new Error(`\ncheck failed\n${failures.join('\n')}`)
  console.log('\ncheck passed')
})

/** @param {string} name @param {() => void} step */
function attempt(name, step) {
  const start = Date.now()
  try {
    step()
    console.log(`${name}: ok, ${Date.now() - start} ms`)
    return []
  } catch (error) {
    return [`${name}: ${error instanceof Error ? error.message : error}`]
  }
}
