import { readdirSync, readFileSync } from 'node:fs'
import { connect } from 'node:net'
import { afterEach, beforeAll, describe, expect, it } from 'vitest'
import { ensureBuilt } from '../scripts/setup.mjs'
import { freePort } from '../support/free-port.js'
import type { Program } from '../support/program.js'
import { waitUntil } from '../support/wait-until.js'
import { check, startService, untilSaid } from './check-service.js'

beforeAll(() => ensureBuilt(), 120_000)

describe('npm run cluster', () => {
  let running: Program | undefined
  afterEach(async () => {
    running?.kill('SIGKILL')
    await running?.ended
  })

  /** Its ports, nginx first. */
  async function start(): Promise<{ readonly cluster: Program; readonly ports: readonly number[] }> {
    const ports = [await freePort(), await freePort(), await freePort(), await freePort(), await freePort()]
    const cluster = startService('cluster', flagsFor(ports))
    running = cluster
    await untilSaid(cluster, /Ctrl-C ends all of it/)
    return { cluster, ports }
  }

  it('three nodes share one limit; a Ctrl-C ends everything', async () => {
    const { cluster, ports } = await start()
    const answers = []
    for (const _turn of [1, 2, 3, 4])
      answers.push(await check(`http://127.0.0.1:${ports[0]}`, { client_id: 'ann', limit: '3' }))
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 429])
    expect(new Set(answers.map(({ headers }) => headers.get('X-Served-By'))).size).toBe(3)
    expect(processesOf(ports).length).toBeGreaterThanOrEqual(5)
    cluster.kill('SIGINT')
    expect(await cluster.ended).toBe(0)
    expect(await isNothingLeft(ports)).toBe(true)
  })

  it('one that is killed leaves nothing running either', async () => {
    const { cluster, ports } = await start()
    cluster.kill('SIGKILL')
    await waitUntil(() => isNothingLeft(ports), { what: 'its parts are gone' })
  })

  it('a part that dies ends the rest, and it says which', async () => {
    const { cluster, ports } = await start()
    const redis = processesOf(ports).find(({ command }) => command.startsWith('redis-server'))
    process.kill(redis?.pid ?? 0, 'SIGKILL')
    expect(await cluster.ended).toBe(1)
    expect(cluster.output()).toContain('cluster: redis ended (SIGKILL), so the rest is stopped')
    expect(await isNothingLeft(ports)).toBe(true)
  })

  it('one that is stopped while it starts leaves nothing running', async () => {
    const ports = [await freePort(), await freePort(), await freePort(), await freePort(), await freePort()]
    const cluster = startService('cluster', flagsFor(ports))
    running = cluster
    await waitUntil(() => processesOf(ports).some(({ command }) => command.startsWith('redis-server')), {
      what: 'its Redis runs',
      timeoutMs: 15_000,
    })
    cluster.kill('SIGINT')
    expect(await cluster.ended).toBe(0)
    expect(await isNothingLeft(ports)).toBe(true)
  })
})

/** No process and no open port: that is nginx too, whose workers have no port on their command line. */
async function isNothingLeft(ports: readonly number[]): Promise<boolean> {
  for (const port of ports) if (await isOpen(port)) return false
  return processesOf(ports).length === 0
}

function flagsFor([nginx, redis, ...nodes]: readonly number[]): readonly string[] {
  const patient = ['--deadline-ms', '5000']
  return ['--port', String(nginx), '--redis-port', String(redis), '--node-ports', nodes.join(','), ...patient]
}

/** Processes with one of the ports on their command line. */
function processesOf(
  ports: readonly number[],
): readonly { readonly pid: number; readonly command: string }[] {
  const named = new RegExp(`\\b(${ports.join('|')})\\b`)
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((name) => ({ pid: Number(name), command: commandOf(name) }))
    .filter(({ command }) => named.test(command))
}

function commandOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trim()
  } catch {
    // Gone since the folder was listed.
    return ''
  }
}

function isOpen(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false))
    socket.unref()
  })
}
