import { connect } from 'node:net'
import { onTestFinished } from 'vitest'
import { freePort } from '../support/free-port.js'
import type { Program } from '../support/program.js'
import { waitUntil } from '../support/wait-until.js'
import { startExample } from './llm-gateway.js'

/** The ports that the README names. */
export const NAMED = ['8100', '8110', '8101', '8102', '6392'] as const

/** Starts all on free ports, in the order of {@link NAMED}. It ends with the test. */
export async function startCluster(): Promise<{
  readonly cluster: Program
  readonly ports: readonly number[]
}> {
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
  const cluster = startExample('cluster', [...places, '--deadline-ms', '5000', '--token-ms', '1'])
  onTestFinished(async () => {
    cluster.kill('SIGKILL')
    await cluster.ended
  })
  let isOver = false
  void cluster.ended.then(() => {
    isOver = true
  })
  const isReady = () => isOver || cluster.output().includes('Ctrl-C ends all of it.')
  await waitUntil(isReady, { what: 'the cluster runs', timeoutMs: 40_000 })
  if (isOver) throw new Error(cluster.output())
  return { cluster, ports }
}

/** Whether somebody listens on one of the ports. */
export async function anyOpen(ports: readonly number[]): Promise<boolean> {
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
