import { connectRedisCluster } from '@rl/core/ioredis'
import { redisStore } from '@rl/core/redis'
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest'
import { chargeFor, outcomesOf } from '../fault/counts.js'
import { keyPrefix } from '../support/keys.js'
import { type RedisCluster, startCluster } from '../support/redis-cluster.js'
import { waitUntil } from '../support/wait-until.js'

let cluster: RedisCluster
beforeAll(async () => {
  cluster = await startCluster()
})
afterAll(() => cluster?.stop())

it('connectRedisCluster connects to every node by itself, so that none of the first calls is refused', async () => {
  const client = connectRedisCluster([{ host: '127.0.0.1', port: cluster.nodes[0]!.port }])
  onTestFinished(() => client.disconnect())
  const areConnected = () =>
    client.nodes().length === 3 && client.nodes().every(({ status }) => status === 'ready')
  await waitUntil(areConnected, { what: 'all nodes are connected, though nothing was asked' })
  const store = redisStore({ client, prefix: keyPrefix(), deadlineMs: 10_000 })
  const calls = Array.from({ length: 100 }, async (_, i) => store.consume([chargeFor(`k${i}`)], 'ask'))
  expect(await outcomesOf(calls)).toEqual({ allowed: 100, failed: {} })
})
