import { fromNodeRedis, type RedisClient, redisStore } from '@rl/core/redis'
import { Cluster, Redis } from 'ioredis'
import { Cluster as Cluster5, Redis as Redis5 } from 'ioredis5'
import { createClient, createClientPool, createCluster, createSentinel } from 'redis'
import { expect, it } from 'vitest'

const quiet = { warn: () => {}, error: () => {} }

/** That this compiles, in strict mode and without a cast, is the test; none of the clients connects. */
it.each<[string, () => RedisClient & { disconnect?: () => void }]>([
  ['Redis of ioredis 6', () => new Redis({ lazyConnect: true })],
  ['Cluster of ioredis 6', () => new Cluster([{ port: 12_000 }], { lazyConnect: true })],
  ['Redis of ioredis 5', () => new Redis5({ lazyConnect: true })],
  ['Cluster of ioredis 5', () => new Cluster5([{ port: 12_000 }], { lazyConnect: true })],
  ['a client of node-redis', () => fromNodeRedis(createClient({ disableOfflineQueue: true }))],
  ['one that speaks RESP3', () => fromNodeRedis(createClient({ RESP: 3 }))],
  ['a pool of node-redis', () => fromNodeRedis(createClientPool())],
  [
    'a cluster of node-redis',
    () => fromNodeRedis(createCluster({ rootNodes: [{ url: 'redis://127.0.0.1:12000' }] })),
  ],
  ['a sentinel of node-redis', () => fromNodeRedis(createSentinel({ name: 'main', sentinelRootNodes: [] }))],
])('B91: redisStore takes %s as it is', async (_, create) => {
  const client = create()
  const store = redisStore({ client, logger: quiet })
  expect(store.consume).toBeTypeOf('function')
  await store.close()
  client.disconnect?.()
})

it.each<[string, () => unknown]>([
  // @ts-expect-error: it has to be given to fromNodeRedis
  ['a client of node-redis', () => redisStore({ client: createClient() })],
  // @ts-expect-error: nothing runs a script
  ['what can delete alone', () => redisStore({ client: { del: async () => 1 } })],
])('%s does not compile, and is refused', (_, create) => {
  expect(create).toThrow('client: takes an ioredis client, or fromNodeRedis(client) for node-redis')
})
