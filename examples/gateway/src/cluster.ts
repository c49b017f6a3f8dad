import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type ClusterFlags, checkFree, readClusterFlags, USAGE } from './cluster/flags.js'
import { type Part, startPart } from './cluster/part.js'
import { gateway, redis } from './cluster/parts.js'
import { startWatchdog } from './cluster/watchdog.js'

// Redis and gateways that count in it, on this machine; all of them end together.

const parts: Part[] = []
let stopping: Promise<void> | undefined

// Before anything runs: whoever stops this while it starts leaves nothing behind.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => void stop(0))

if (process.argv.includes('--help')) {
  console.log(USAGE.trimEnd())
  process.exit(0)
}
const flags = flagsOrExit()
const dir = mkdtempSync(join(tmpdir(), 'rl-gateway-'))
const watchdog = startWatchdog(dir)
// Gateways read their tenants again.
process.on('SIGHUP', () => {
  for (const part of parts.slice(1)) part.signal('SIGHUP')
})
try {
  await checkFree(flags)
  await add(startPart(redis(dir, flags.redisPort)))
  await Promise.all(flags.ports.map((port) => add(startPart(gateway(port, flags)))))
  if (stopping === undefined) console.log(welcome(flags))
} catch (error) {
  if (stopping === undefined) console.error(`cluster: ${(error as Error).message}`)
  await stop(1)
}

function flagsOrExit(): ClusterFlags {
  try {
    return readClusterFlags(process.argv.slice(2))
  } catch (error) {
    console.error(`cluster: ${(error as Error).message}\n\n${USAGE}`)
    process.exit(2)
  }
}

/** Waits until it is ready. A part that ends by itself ends the rest. */
async function add(part: Part): Promise<void> {
  parts.push(part)
  watchdog.watch(parts.map(({ pid }) => pid))
  await part.ready
  if (stopping !== undefined) throw new Error('stopped while it started')
  void part.ended.then((how) => {
    if (stopping !== undefined) return
    console.error(`cluster: ${part.name} ${how}, so the rest is stopped`)
    void stop(1)
  })
}

/** Ends the parts, last started first, so that what is under way is still answered. */
function stop(code: number): Promise<void> {
  stopping ??= stopAll().then(() => process.exit(code))
  return stopping
}

async function stopAll(): Promise<void> {
  for (const part of [...parts].reverse()) await part.stop()
  watchdog.watch([])
  rmSync(dir, { recursive: true, force: true })
}

function welcome({ ports, redisPort }: ClusterFlags): string {
  const [first = 0, ...others] = ports
  return `cluster: gateways on ${ports.map((port) => `http://localhost:${port}`).join(' and ')} count in one Redis on port ${redisPort}. Try:

  curl -i -H 'X-API-Key: key-abc123' http://localhost:${first}/api/ping
  curl -i -H 'X-API-Key: key-abc123' http://localhost:${others[0] ?? first}/api/ping
  npm run --silent loadtest -- --rps 300 --dur 5s --api-key key-abc123

Ctrl-C ends all of it.`
}
