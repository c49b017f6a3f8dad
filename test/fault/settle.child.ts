import { createLimiter, fixedWindow } from '@rl/core'
import { connectRedis } from '@rl/core/ioredis'
import { redisStore } from '@rl/core/redis'
import { waitUntil } from '../support/wait-until.js'

/** Charges, says so, and is killed before it settles. */
const [port, prefix] = process.argv.slice(2)
const client = connectRedis({ host: '127.0.0.1', port: Number(port) })
await waitUntil(() => client.status === 'ready', { what: 'the client is ready' })
const limiter = createLimiter({
  name: 'tokens',
  limit: { requests: fixedWindow({ limit: 10, window: '365d' }), tokens: '100000/1d' },
  store: redisStore({ client, prefix, deadlineMs: 10_000 }),
})
const decision = await limiter.consume('ann', { cost: { requests: 1, tokens: 900 } })
process.stdout.write(`${JSON.stringify(decision)}\n`, () => process.kill(process.pid, 'SIGKILL'))
