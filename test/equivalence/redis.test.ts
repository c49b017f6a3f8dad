import { Redis } from 'ioredis'
import { afterAll, beforeAll } from 'vitest'
import { type RedisServer, startRedis } from '../support/redis-server.js'
import { type InjectedClient, injectedClients } from './injected-client.js'
import { itAgreesInRedis } from './redis-run.js'
import { EDGE_RATES, FAMILIES, RATES } from './sequence-policies.js'

const ALL = { families: FAMILIES, rates: RATES, debts: true }
const EDGE = { families: FAMILIES, rates: EDGE_RATES, debts: false }
const LOGS = { families: ['sliding-log'], rates: RATES, debts: true } as const
/** Block edges in the log show only where logs are longer than a block. */
const SMALL_BLOCKS = [1, 2, 3, 5]

let server: RedisServer
let redis: Redis
const clients = new Map<number, () => InjectedClient>()

beforeAll(async () => {
  server = await startRedis()
  redis = new Redis(server.port)
  for (const block of [...SMALL_BLOCKS, 256]) clients.set(block, await injectedClients(redis, block))
})
afterAll(async () => {
  redis.disconnect()
  await server.stop()
})

function clientFor(block: number): () => InjectedClient {
  return clients.get(block) as () => InjectedClient
}

itAgreesInRedis('all kinds in one decision', () => ({
  client: clientFor(256),
  workload: ALL,
  decisions: 10_000,
}))

itAgreesInRedis('at the edge of what is exact', () => ({
  client: clientFor(256),
  workload: EDGE,
  decisions: 10_000,
}))

for (const block of SMALL_BLOCKS) {
  itAgreesInRedis(`logs in blocks of ${block}`, () => ({
    client: clientFor(block),
    workload: LOGS,
    decisions: 2500,
  }))
}
