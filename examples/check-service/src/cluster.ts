import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Child } from './cluster/child.js'
import { type ClusterFlags, checkFree, type Ports, readClusterFlags, USAGE } from './cluster/flags.js'
import { startNginx } from './cluster/nginx.js'
import { startNode } from './cluster/node.js'
import { ensureProgram } from './cluster/program.js'
import { startRedis } from './cluster/redis.js'
import { startWatchdog } from './cluster/watchdog.js'

/** In the order of their start. */
const children: Child[] = []
let stopping: Promise<void> | undefined

// Before anything runs: whoever stops this while it starts leaves nothing behind.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => void stop(0))

const { ports, deadlineMs } = flagsOrExit()
const dir = mkdtempSync(join(tmpdir(), 'rl-check-service-'))
const watchdog = startWatchdog(dir)
try {
  ensureProgram('redis-server')
  ensureProgram('nginx')
  await checkFree(ports)
  await startAll(ports)
  if (stopping === undefined) console.log(welcome(ports))
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

async function startAll({ nginx, nodes, redis }: Ports): Promise<void> {
  await add(startRedis(folder('redis'), redis))
  const flags = ['--redis', `redis://127.0.0.1:${redis}`, '--deadline-ms', deadlineMs]
  await Promise.all(nodes.map((port) => add(startNode(port, flags))))
  await add(startNginx({ dir: folder('nginx'), port: nginx, nodePorts: nodes }))
}

function folder(name: string): string {
  const path = join(dir, name)
  mkdirSync(path)
  return path
}

/** Waits until it is ready. A part that ends by itself ends the rest: half a cluster would answer, and differently. */
async function add(child: Child): Promise<void> {
  children.push(child)
  watchdog.watch(children.map(({ pid }) => pid))
  await child.ready
  if (stopping !== undefined) throw new Error('stopped while it started')
  void child.ended.then((how) => {
    if (stopping !== undefined) return
    console.error(`cluster: ${child.name} ${how}, so the rest is stopped`)
    void stop(1)
  })
}

/** Ends the parts, last started first, so that what is under way is still answered. */
function stop(code: number): Promise<void> {
  stopping ??= stopAll().then(() => process.exit(code))
  return stopping
}

async function stopAll(): Promise<void> {
  for (const child of [...children].reverse()) await child.stop()
  watchdog.watch([])
  rmSync(dir, { recursive: true, force: true })
}

function welcome({ nginx, nodes }: Ports): string {
  return `cluster: http://localhost:${nginx} is nginx before ${nodes.length} nodes that share one Redis. Try:

  curl -i 'http://localhost:${nginx}/check?client_id=ann&limit=5'
  curl -i http://localhost:${nginx}/health
  npm run bench

Ctrl-C ends all of it.`
}
