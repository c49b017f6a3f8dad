import { redisStore, type ScriptClient } from '@rl/core/redis'
import { afterAll, beforeAll } from 'vitest'
import { withClock } from '../equivalence/injected-client.js'
import { injectedScripts } from '../equivalence/injected-scripts.js'
import { keyPrefix } from '../support/keys.js'
import { CLIENTS, CLUSTER_CLIENTS, type Connect, type OpenClient } from '../support/redis-clients.js'
import { type RedisCluster, startCluster } from '../support/redis-cluster.js'
import { type RedisServer, startRedis } from '../support/redis-server.js'
import { describeStore } from './store.js'

const scripts = injectedScripts(256)
let single: RedisServer
let cluster: RedisCluster

beforeAll(async () => {
  single = await startRedis()
  cluster = await startCluster()
})
afterAll(async () => {
  await single?.stop()
  await cluster?.stop()
})

for (const [name, connect] of Object.entries(CLIENTS)) describeOver(name, connect, () => [single])
for (const [name, connect] of Object.entries(CLUSTER_CLIENTS))
  describeOver(name, connect, () => cluster.nodes)

/** A Redis store that counts by a clock of the test, which is given to its scripts. */
function describeOver(name: string, connect: Connect, servers: () => readonly RedisServer[]): void {
  let open: OpenClient
  beforeAll(async () => {
    const [first, ...others] = servers().map(({ port }) => port)
    open = await connect([first as number, ...others])
  })
  afterAll(() => open?.close())

  describeStore(`redisStore over ${name}`, (clock) => {
    const prefix = keyPrefix()
    const client = withClock(inOneSlot(open.client, prefix), scripts, clock.now)
    const store = redisStore({ client, prefix, deadlineMs: 10_000 })
    return { store, keys: () => countSubjects(servers(), prefix), close: () => store.close() }
  })
}

/** Charges of several keys can be one call only where their keys are in one slot: in a cluster the test puts them there. */
function inOneSlot(client: ScriptClient, tag: string): ScriptClient {
  const tagged = (keys: number, list: readonly string[]): string[] =>
    list.map((text, i) => (i < keys ? `{${tag}}${text}` : text))
  return {
    ...(client.isCluster === undefined ? {} : { isCluster: client.isCluster }),
    evalshaBuffer: (sha, keys, ...list) => client.evalshaBuffer(sha, keys, ...tagged(keys, list)),
    evalBuffer: (text, keys, ...list) => client.evalBuffer(text, keys, ...tagged(keys, list)),
    del: (...keys) => client.del(...tagged(keys.length, keys)),
  }
}

/** Without the marks of what has been settled. */
async function countSubjects(servers: readonly RedisServer[], prefix: string): Promise<number> {
  const replies = await Promise.all(servers.map((server) => server.command('KEYS', `{${prefix}}*`)))
  const keys = replies.flatMap((reply) => (Array.isArray(reply) ? reply : []))
  return keys.filter((key) => !String(key).includes(':settled:')).length
}
