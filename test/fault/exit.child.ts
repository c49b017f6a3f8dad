// A process in which an outage is on: calls wait for their deadline, the breaker probes, the log has lines to come.
// Nothing but the connection is closed. Argument: the port of a server that says nothing. Run by `hostile-stores.test.ts`.
import { createLimiter } from '@rl/core'
import { connectRedis } from '@rl/core/ioredis'
import { redisStore } from '@rl/core/redis'
import { waitUntil } from '../support/wait-until.js'

const [, , port = '', how] = process.argv
const logger = { warn: () => {}, error: () => {} }
const client = connectRedis({ host: '127.0.0.1', port: Number(port), disconnectTimeout: 100 })
const store = redisStore({ client, deadlineMs: how === 'waiting' ? 60_000 : 50, logger })
const limiter = createLimiter({ limit: '5/1m', store, logger })
await waitUntil(() => store.available?.(), { what: 'the client is connected', timeoutMs: 15_000 })
process.send?.('connected')
await new Promise((resolve) => process.once('message', resolve))

const calls = Promise.all(Array.from({ length: 10 }, () => limiter.consume('ann')))
if (how !== 'waiting') {
  await calls
  await waitUntil(() => store.available?.() === false, { what: 'the breaker is open' })
}
if (how === 'closed') {
  for (let time = 0; time < 3; time++) {
    await limiter.close()
    await store.close()
  }
}
client.disconnect()
process.disconnect?.()
