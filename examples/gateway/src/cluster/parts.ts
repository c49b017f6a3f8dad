import { connect } from 'node:net'
import { fileURLToPath } from 'node:url'
import type { ClusterFlags } from './flags.js'
import type { PartPlan } from './part.js'

/** Redis without persistence, in a folder of its own. */
export function redis(dir: string, port: number): PartPlan {
  return {
    name: 'redis',
    command: 'redis-server',
    args: ['--port', String(port), '--bind', '127.0.0.1', '--dir', dir, '--save', '', '--appendonly', 'no'],
    isReady: () => answersPing(port),
  }
}

/** A gateway as it is built. */
export function gateway(port: number, { redisPort, tenants, others }: ClusterFlags): PartPlan {
  const program = fileURLToPath(new URL('../main.js', import.meta.url))
  const place = ['--addr', `127.0.0.1:${port}`, '--redis-addr', `127.0.0.1:${redisPort}`]
  return {
    name: `gateway ${port}`,
    command: process.execPath,
    args: [program, ...place, '--tenants', tenants, ...others],
    isReady: async () => (await fetch(`http://127.0.0.1:${port}/health`)).ok,
  }
}

function answersPing(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => socket.write('PING\r\n'))
    socket.once('data', (data) => {
      resolve(String(data).startsWith('+PONG'))
      socket.destroy()
    })
    socket.once('error', () => resolve(false))
  })
}
