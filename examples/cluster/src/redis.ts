import { connect } from 'node:net'
import type { PartPlan } from './part.js'

/** Redis without persistence, in a directory of its own. */
export function redis(dir: string, port: number): PartPlan {
  return {
    name: 'redis',
    command: 'redis-server',
    args: ['--port', String(port), '--bind', '127.0.0.1', '--dir', dir, '--save', '', '--appendonly', 'no'],
    isReady: () => answersPing(port),
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
    // One that leaves without a word is not ready either.
    socket.once('close', () => resolve(false))
  })
}
