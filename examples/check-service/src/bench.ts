import { randomUUID } from 'node:crypto'
import { AT_ONCE, isExact, LIMIT, measureAccuracy } from './bench/accuracy.js'
import { type BenchFlags, readBenchFlags, USAGE } from './bench/flags.js'
import { runLoad } from './bench/load.js'
import { progressBar } from './bench/progress-bar.js'
import { report } from './bench/report.js'

const flags = flagsOrExit()
await checkService(flags)

const { origin, algorithm, requests, concurrency } = flags
const clients = flags.uniqueClients ? 'as many clients' : 'one client'
console.log(`${requests} requests of ${clients}, ${concurrency} at a time, ${algorithm}, ${origin}`)
const onProgress = progressBar(requests)
console.log(report(await runLoad({ origin, requests, concurrency, pathFor: pathFor(flags), onProgress })))

const accuracy = await measureAccuracy(origin, algorithm)
const { allowed, refused, local } = accuracy
const verdict = isExact(accuracy) ? 'exact' : `WRONG: it must be ${LIMIT} and ${AT_ONCE - LIMIT}`
console.log(`\n${AT_ONCE} at once on a limit of ${LIMIT}: ${allowed} allowed, ${refused} refused: ${verdict}`)
if (local > 0)
  console.log(`${local} of them were decided without Redis, by limits that the nodes do not share`)
if (!isExact(accuracy)) process.exitCode = 1

function flagsOrExit(): BenchFlags {
  try {
    return readBenchFlags(process.argv.slice(2))
  } catch (error) {
    return exit(2, `${(error as Error).message}\n\n${USAGE}`)
  }
}

/** One check before the load: is the service there, and does it take these parameters? */
async function checkService(asked: BenchFlags): Promise<void> {
  const path = pathFor(asked)(0)
  try {
    const response = await fetch(`${asked.origin}${path}`)
    const body = await response.text()
    if (response.status !== 200 && response.status !== 429)
      exit(1, `GET ${path} gives ${response.status}: ${body}`)
  } catch {
    exit(1, `nothing answers at ${asked.origin}. Start a cluster beside it: npm run cluster`)
  }
}

/** New clients in every run. */
function pathFor({ algorithm, limit, rateOrWindow, uniqueClients }: BenchFlags): (index: number) => string {
  const query = new URLSearchParams({ algorithm, limit })
  if (rateOrWindow !== undefined) query.set('rate_or_window', rateOrWindow)
  const client = `bench-${randomUUID()}`
  return (index) => `/check?${query}&client_id=${client}${uniqueClients ? `-${index}` : ''}`
}

function exit(code: number, message: string): never {
  console.error(`bench: ${message}`)
  process.exit(code)
}
