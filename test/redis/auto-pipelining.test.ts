import { createLimiter } from '@rl/core'
import { connectRedis } from '@rl/core/ioredis'
import { redisStore } from '@rl/core/redis'
import { Redis as Redis5 } from 'ioredis5'
import { expect, it, onTestFinished } from 'vitest'
import { SAFE } from '../support/redis-clients.js'
import { useServer } from '../support/use-redis.js'
import { waitUntil } from '../support/wait-until.js'

const server = useServer()
const enableAutoPipelining = true

it.each([
  ['6', (port: number) => connectRedis({ port, enableAutoPipelining })],
  ['5', (port: number) => new Redis5({ port, ...SAFE, enableAutoPipelining })],
])('a client of ioredis %s that sends commands together decides as any other', async (major, connect) => {
  const client = connect(server().port)
  onTestFinished(() => client.disconnect())
  await waitUntil(() => client.status === 'ready', { what: 'the client is ready' })
  const store = redisStore({ client, deadlineMs: 10_000 })
  const limiter = createLimiter({ name: `with-${major}`, limit: '30/1h', store, onStoreFailure: 'closed' })
  const decisions = await Promise.all(Array.from({ length: 50 }, () => limiter.consume('ann')))
  expect(decisions.filter(({ allowed }) => allowed)).toHaveLength(30)
  expect(new Set(decisions.map(({ source }) => source))).toEqual(new Set(['store']))
})
