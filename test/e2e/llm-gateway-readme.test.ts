import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { afterEach, beforeAll, describe, expect, it } from 'vitest'
import { ensureBuilt } from '../scripts/setup.mjs'
import { inRoot } from '../scripts/workspace.mjs'
import { freePort } from '../support/free-port.js'
import { waitUntil } from '../support/wait-until.js'
import { type Program, startProgram } from './llm-gateway.js'

beforeAll(() => ensureBuilt(), 120_000)

/** The ports that the README names. */
const NAMED = ['8100', '8110', '8101', '8102', '6391'] as const

let running: Program | undefined
afterEach(async () => {
  running?.kill('SIGKILL')
  await running?.ended
})

/** Starts it on free ports, in the order of {@link NAMED}. */
async function startCluster(): Promise<{ readonly cluster: Program; readonly ports: readonly number[] }> {
  const ports: number[] = []
  for (const _named of NAMED) ports.push(await freePort())
  const [first, second, a, b, redis] = ports
  const places = [
    '--ports',
    `${first},${second}`,
    '--model-ports',
    `${a},${b}`,
    '--redis-port',
    String(redis),
  ]
  const cluster = startProgram('cluster', [...places, '--deadline-ms', '5000', '--token-ms', '1'])
  running = cluster
  let isOver = false
  void cluster.ended.then(() => {
    isOver = true
  })
  const isReady = () => isOver || cluster.output().includes('Ctrl-C ends all of it.')
  await waitUntil(isReady, { what: 'the cluster runs', timeoutMs: 40_000 })
  if (isOver) throw new Error(cluster.output())
  return { cluster, ports }
}

describe('the README', () => {
  const text = readFileSync(inRoot('examples/llm-gateway/README.md'), 'utf8')
  const blocks = [...text.matchAll(/^```console\n([\s\S]*?)^```$/gm)].map(([, block]) => block ?? '')
  const samples = blocks.flatMap((block) => block.split(/^\$ /m).slice(1))

  it('has commands to try', () => expect(samples.length).toBe(7))

  it('every command gives, as printed, what is printed; a Ctrl-C ends everything', {
    timeout: 40_000,
  }, async () => {
    const { cluster, ports } = await startCluster()
    for (const sample of samples) {
      const [command = '', ...printed] = sample.split('\n')
      // Five at once that meet the end of a second are admitted in both.
      const tries = command.includes('config-profile') ? 6 : 1
      let output = ''
      for (let n = 0; n < tries; n++) {
        if (n > 0) await sleep(1100)
        output = (await promisify(execFile)('sh', ['-c', here(command, ports)])).stdout
        if (lasting(output, ports).join() === lasting(printed.join('\n'), ports).join()) break
      }
      expect(lasting(output, ports), command).toEqual(lasting(printed.join('\n'), ports))
    }
    cluster.kill('SIGINT')
    expect(await cluster.ended).toBe(0)
    for (const port of ports) expect(await isOpen(port)).toBe(false)
  })

  it('the usage of each program names every flag that it reads, and the README those of the gateway', async () => {
    const program = startProgram('main', ['--no-such-flag'])
    expect(await program.ended).toBe(2)
    const flags = [...program.output().matchAll(/^ {2}(--[a-z-]+) /gm)].map(([, flag]) => flag)
    expect(flags.length).toBe(10)
    expect(flags.filter((flag) => !text.includes(`| \`${flag}\``))).toEqual([])
  })
})

describe('npm run cluster', () => {
  it('one that is killed leaves nothing running, and a part that dies ends the rest', async () => {
    const { cluster, ports } = await startCluster()
    cluster.kill('SIGKILL')
    await waitUntil(async () => !(await anyOpen(ports)), { what: 'its parts are gone' })
    const again = await startCluster()
    const [, , model = 0] = again.ports
    const { stdout } = await promisify(execFile)('sh', [
      '-c',
      `grep -lz '127.0.0.1:${model}$' /proc/[0-9]*/cmdline || true`,
    ])
    for (const file of stdout.split('\n').filter(Boolean)) {
      const line = readFileSync(file, 'utf8')
      if (line.includes('model-server.js')) process.kill(Number(file.split('/')[2]), 'SIGKILL')
    }
    expect(await again.cluster.ended).toBe(1)
    expect(again.cluster.output()).toContain(
      `cluster: model-server ${model} ended (SIGKILL), so the rest is stopped`,
    )
    expect(await anyOpen(again.ports)).toBe(false)
  })
})

/** A command with the ports of this cluster. */
function here(command: string, ports: readonly number[]): string {
  return NAMED.reduce((text, named, i) => text.replaceAll(named, String(ports[i])), command)
}

/** What does not change from run to run: no times, and what is left only as far as time does not bring it back. */
function lasting(output: string, ports: readonly number[]): readonly string[] {
  const named = ports.reduce((text, port, i) => text.replaceAll(`:${port}`, `:${NAMED[i]}`), output)
  return named
    .replaceAll('\r', '')
    .trim()
    .split('\n')
    .map((line) =>
      line
        .trim()
        .replace(/^(Date|Content-Length): .*/i, '$1: …')
        .replace(/"id":"chatcmpl-\d+","created":\d+/g, '"id":…')
        .replace(/Used \d+/, 'Used …'),
    )
}

async function anyOpen(ports: readonly number[]): Promise<boolean> {
  for (const port of ports) if (await isOpen(port)) return true
  return false
}

function isOpen(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false))
    socket.unref()
  })
}
