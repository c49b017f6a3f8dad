import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { promisify } from 'node:util'
import { afterEach, beforeAll, describe, expect, it } from 'vitest'
import { ensureBuilt } from '../scripts/setup.mjs'
import { inRoot } from '../scripts/workspace.mjs'
import { freePort } from '../support/free-port.js'
import { guard, unguard } from '../support/guardian.js'
import { send } from '../support/http-client.js'
import { waitUntil } from '../support/wait-until.js'

beforeAll(() => ensureBuilt(), 120_000)

const FOLDER = inRoot('examples/gateway')

interface Cluster {
  readonly kill: (signal: NodeJS.Signals) => void
  readonly ended: Promise<number | null>
  readonly output: () => string
  readonly ports: readonly [number, number]
  /** Of its Redis. */
  readonly redis: number
}

let running: Cluster | undefined
afterEach(async () => {
  running?.kill('SIGKILL')
  await running?.ended
})

/** `npm run cluster` on free ports; it has said what to try when this returns. */
async function start(): Promise<Cluster> {
  const [redis, ...ports] = [await freePort(), await freePort(), await freePort()] as const
  const args = ['dist/cluster.js', '--ports', ports.join(','), '--redis-port', String(redis)]
  const child = spawn(process.execPath, args, { cwd: FOLDER, stdio: ['ignore', 'pipe', 'pipe'] })
  const pid = child.pid ?? 0
  guard(pid)
  let text = ''
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (part: string) => {
      text += part
    })
  const ended = once(child, 'close').then(([code]): number | null => {
    unguard(pid)
    return code
  })
  running = { kill: (signal) => void child.kill(signal), ended, output: () => text, ports, redis }
  await waitUntil(() => text.includes('Ctrl-C ends all of it.'), {
    what: 'it has started',
    timeoutMs: 15_000,
  })
  return running
}

async function isNothingLeft({ ports, redis }: Cluster): Promise<boolean> {
  for (const port of [...ports, redis]) {
    const error: unknown = await send({ host: '127.0.0.1', port }, '/').catch((error: unknown) => error)
    if (!(error instanceof Error && 'code' in error && error.code === 'ECONNREFUSED')) return false
  }
  return true
}

describe('npm run cluster', () => {
  it('two gateways count together; SIGHUP reaches both; Ctrl-C ends everything', async () => {
    const cluster = await start()
    const headers = { 'X-API-Key': 'key-xyz789' }
    const ask = async (port: number) =>
      (await send({ host: '127.0.0.1', port }, '/api/ping', { headers })).status
    const statuses = await Promise.all(
      Array.from({ length: 30 }, (_, i) => ask(cluster.ports[(i % 2) as 0 | 1])),
    )
    expect(statuses.filter((status) => status === 200).length).toBeLessThanOrEqual(12)
    expect(statuses).toContain(429)
    cluster.kill('SIGHUP')
    const told = () => cluster.output().split('says nothing else than before').length - 1
    await waitUntil(() => told() === 2, { what: 'both have read the file' })
    cluster.kill('SIGINT')
    expect(await cluster.ended).toBe(0)
    expect(await isNothingLeft(cluster)).toBe(true)
  })

  it('one that is killed leaves nothing running either', async () => {
    const cluster = await start()
    cluster.kill('SIGKILL')
    await waitUntil(() => isNothingLeft(cluster), { what: 'its parts are gone' })
  })
})

describe('the README', () => {
  const text = readFileSync(inRoot('examples/gateway/README.md'), 'utf8')
  const blocks = [...text.matchAll(/^```console\n([\s\S]*?)^```$/gm)].map(([, block]) => block ?? '')
  const samples = blocks.flatMap((block) => block.split(/^\$ /m).slice(1))

  it('every command gives what is printed below it', async () => {
    expect(samples.length).toBeGreaterThanOrEqual(6)
    const { ports } = await start()
    for (const sample of samples) {
      const [command = '', ...printed] = sample.split('\n')
      const here = command
        .replaceAll('localhost:9090', `localhost:${ports[0]}`)
        .replaceAll('localhost:9091', `localhost:${ports[1]}`)
        // What npm would build first is built.
        .replace('npm run --silent loadtest --', `${process.execPath} dist/loadtest.js`)
      const { stdout } = await promisify(execFile)('sh', ['-c', here], { cwd: FOLDER })
      expect(lasting(stdout), command).toEqual(lasting(printed.join('\n')))
    }
  })
})

/** What does not change from run to run: no times and ports, no count of what other samples have used, no bars. */
function lasting(output: string): readonly string[] {
  return output
    .replaceAll('\r', '')
    .replace(/localhost:\d+/g, 'localhost:PORT')
    .replace(/^Date: .*$/gm, 'Date: …')
    .replace(/;([rt])=\d+/g, ';$1=…')
    .replace(/^(X-RateLimit-(Remaining|Reset)|Retry-After): \d+$/gm, '$1: …')
    .replace(/^(ratelimiter_requests_total\{.*\}) \d+$/gm, '$1 …')
    .replace(/^ +(≤ .*|more) +\d+.*$/gm, '')
    .replace(/\d+(\.\d+)? ms/g, '… ms')
    .replace(/[\d.]+ a second/g, '… a second')
    .replace(/(success +)[\d.]+ %/g, '$1… %')
    .replace(/(200|429): \d+/g, '$1: …')
    .split('\n')
    .map((line) => line.trimEnd())
    .filter((line) => line !== '')
}
