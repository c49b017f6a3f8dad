import { type LoadFlags, readLoadFlags, USAGE } from './loadtest/flags.js'
import { progressOf } from './loadtest/progress.js'
import { summaryOf, textOf } from './loadtest/report.js'
import { startLoad } from './loadtest/run.js'

// Requests at a steady rate, whatever becomes of the ones before, and what came of them.

if (process.argv.includes('--help')) {
  console.log(USAGE.trimEnd())
  process.exit(0)
}
const flags = flagsOrExit()
const load = startLoad(flags)
// What was measured until then is told all the same.
process.once('SIGINT', () => load.stop())
const progress = progressOf(flags, load)
const summary = summaryOf(flags, await load.done)
progress.end()
console.log(flags.json ? JSON.stringify(summary) : textOf(summary))
process.exitCode = Object.keys(summary.statuses).length > 0 ? 0 : 1

function flagsOrExit(): LoadFlags {
  try {
    return readLoadFlags(process.argv.slice(2))
  } catch (error) {
    console.error(`loadtest: ${(error as Error).message}\n\n${USAGE}`)
    process.exit(2)
  }
}
