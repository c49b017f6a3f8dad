import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { connectRedis } from '@rl/core/ioredis'
import { type Child, type Start, startChild } from './cluster/child.js'
import { type ClusterFlags, checkFree, readClusterFlags, USAGE } from './cluster/flags.js'
import { startWatchdog } from './cluster/watchdog.js'
import { EXAMPLES, seed } from './users/seed.js'

/** In the order of their start. */
const children: Child[] = []
let stopping: Promise<void> | undefined

// Before anything runs: whoever stops this while it starts leaves nothing behind.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => void stop(0))

if (process.argv.includes('--help')) {
  console.log(USAGE.trimEnd())
  process.exit(0)
}
const flags = flagsOrExit()
const dir = mkdtempSync(join(tmpdir(), 'rl-llm-gateway-'))
const watch = startWatchdog(dir)
try {
  await checkFree(flags)
  await startAll(flags)
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

async function startAll({
  gateways,
  models,
  redis,
  config,
  deadlineMs,
  tokenMs,
}: ClusterFlags): Promise<void> {
  const place = ['--port', String(redis), '--bind', '127.0.0.1', '--dir', dir]
  const args = [...place, '--save', '', '--appendonly', 'no']
  await add({ name: 'redis', command: 'redis-server', args, ready: /Ready to accept connections/ })
  await seedExamples(redis)
  for (const [i, port] of models.entries()) {
    const name = String.fromCharCode(97 + i)
    await addNode('model-server', port, ['--name', name, '--token-ms', tokenMs])
  }
  const upstream = models.map((port) => `http://127.0.0.1:${port}`).join(',')
  const shared = ['--redis-addr', `127.0.0.1:${redis}`, '--deadline-ms', deadlineMs]
  for (const port of gateways)
    await addNode('main', port, ['--upstream', upstream, '--config', config, ...shared])
}

async function seedExamples(port: number): Promise<void> {
  const client = connectRedis(`redis://127.0.0.1:${port}`)
  try {
    await new Promise((resolve) => client.once('ready', resolve).once('close', resolve))
    for (const user of EXAMPLES) await seed(client, user)
  } finally {
    client.disconnect()
  }
}

function addNode(program: 'main' | 'model-server', port: number, more: readonly string[]): Promise<void> {
  const file = fileURLToPath(new URL(`./${program}.js`, import.meta.url))
  const name = `${program === 'main' ? 'gateway' : program} ${port}`
  const args = [file, '--addr', `127.0.0.1:${port}`, ...more]
  return add({ name, command: process.execPath, args, ready: /http:/ })
}

/** A part that ends by itself ends the rest: half a cluster would answer, and differently. */
async function add(start: Start): Promise<void> {
  if (stopping !== undefined) throw new Error('stopped while it started')
  const child = await startChild(start)
  children.push(child)
  watch(children.map(({ pid }) => pid))
  // It was stopping while this one started: whoever stops waits for it no more.
  if (stopping !== undefined) await child.stop()
  void child.ended.then((how) => {
    if (stopping !== undefined) return
    console.error(`cluster: ${child.name} ${how}, so the rest is stopped`)
    void stop(1)
  })
}

/** Ends the parts, last started first, so that what is under way is still answered and settled. */
function stop(code: number): Promise<void> {
  stopping ??= stopAll().then(() => process.exit(code))
  return stopping
}

async function stopAll(): Promise<void> {
  for (const child of [...children].reverse()) await child.stop()
  watch([])
  rmSync(dir, { recursive: true, force: true })
}

function welcome({ gateways: [first, ...others] }: ClusterFlags): string {
  return `cluster: http://localhost:${first} is a gateway, and so is ${others.map((port) => `http://localhost:${port}`).join(', ')}; they share one Redis. Try:

  curl -i http://localhost:${first}/v1/chat/completions -H 'Authorization: Bearer sk-ann' -d '{"model":"small","messages":[{"role":"user","content":"Count"}]}'

Ctrl-C ends all of it.`
}
