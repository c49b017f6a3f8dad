// npm test: sets up what is missing, runs vitest with the arguments given, and closes with a line to count by.
import { spawnSync } from 'node:child_process'
import { existsSync, rmSync } from 'node:fs'
import { ensureBuilt, ensureRedis, ensureRuntimes, ensureTree } from './setup.mjs'
import { bin, inRoot, main, readJson } from './workspace.mjs'

const report = inRoot('node_modules/.cache/rl/tests.json')

await main(() => {
  ensureTree()
  if (process.argv.includes('deep')) ensureRuntimes()
  ensureRedis()
  ensureBuilt()
  rmSync(report, { force: true })
  const { status } = spawnSync(bin('vitest'), vitestArgs(process.argv.slice(2)), {
    cwd: inRoot(),
    stdio: 'inherit',
  })
  const { passed, failed, skipped } = count()
  console.log(`\n${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`)
  if (status !== 0 || failed > 0 || passed === 0) process.exitCode = status || 1
})

/** @param {string[]} given */
function vitestArgs(given) {
  const project = given.includes('--project') ? [] : ['--project', 'normal']
  const reporters = ['--reporter', 'default', '--reporter', 'json', '--outputFile.json', report]
  return ['run', '--config', inRoot('test/vitest.config.ts'), ...reporters, ...project, ...given]
}

/** Counts tests; a file that could not be loaded has none of its own and counts as one that failed. */
function count() {
  if (!existsSync(report)) return { passed: 0, failed: 1, skipped: 0 }
  const result = readJson(report)
  const unloaded = result.testResults.filter(
    (/** @type {any} */ file) => file.status === 'failed' && file.assertionResults.length === 0,
  )
  return {
    passed: result.numPassedTests,
    failed: result.numFailedTests + unloaded.length,
    skipped: result.numPendingTests + result.numTodoTests,
  }
}
