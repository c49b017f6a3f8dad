import { connectRedis } from '@rl/core/ioredis'
import { type Child, startChild } from './child.js'

/** Starts Redis on this machine, without persistence. */
export function startRedis(dir: string, port: number): Child {
  const client = connectRedis(`redis://127.0.0.1:${port}`)
  const redis = startChild({
    name: 'redis',
    command: 'redis-server',
    args: ['--port', String(port), '--bind', '127.0.0.1', '--dir', dir, '--save', '', '--appendonly', 'no'],
    isReady: async () => (await client.ping()) === 'PONG',
  })
  const leave = () => client.disconnect()
  redis.ready.then(leave, leave)
  return redis
}
