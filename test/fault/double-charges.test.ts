import { type Charge, createLimiter, type Limit, type Store } from '@rl/core'
import { redisStore } from '@rl/core/redis'
import { Redis } from 'ioredis'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { casesOf } from '../concurrency/cases.js'
import { type ClusterProxies, startClusterProxies } from '../support/cluster-proxies.js'
import { keyPrefix } from '../support/keys.js'
import { CLIENTS, type Connect, type OpenClient } from '../support/redis-clients.js'
import { type RedisCluster, startCluster } from '../support/redis-cluster.js'
import type { TcpProxy } from '../support/tcp-proxy.js'
import { useClient, useProxy, useServer } from '../support/use-redis.js'
import { waitUntil } from '../support/wait-until.js'

const LIMITS = Object.values(casesOf(900, '36525d'))
/** Where the connection is cut, and what was charged then. */
const CUTS = [
  ['cutAfterRequest', 1],
  ['cutBeforeRequest', 0],
] as const

describe.each(Object.entries<Connect>(CLIENTS))('a cut connection, over %s', (_, connect) => {
  const server = useServer()
  const proxy = useProxy(server)
  const client = useClient(proxy, connect)

  it.each(CUTS)('charges a decision once at most: %s', async (cut, charged) => {
    const store = redisStore({ client: client(), prefix: keyPrefix(), deadlineMs: 10_000 })
    for (const limit of LIMITS) {
      expect(await chargedBy({ store, limit, arm: () => ({ done: proxy()[cut]('evalsha') }) })).toBe(charged)
    }
  })

  it.each(CUTS)('charges once at most when the text of the script is cut off: %s', async (cut, charged) => {
    const store = redisStore({ client: client(), prefix: keyPrefix(), deadlineMs: 10_000 })
    const arm = async () => {
      await server().command('SCRIPT', 'FLUSH')
      return { done: proxy()[cut]('#!lua') }
    }
    expect(await chargedBy({ store, arm })).toBe(charged)
  })

  it.each(CUTS)('charges nothing when the call that asks for the time is cut off: %s', async (cut) => {
    const prefix = keyPrefix()
    const observer = redisStore({ client: client(), prefix, deadlineMs: 10_000 })
    const store = redisStore({ client: client(), prefix, deadlineMs: 10_000 })
    expect(await chargedBy({ store, observer, arm: () => ({ done: proxy()[cut]('evalsha') }) })).toBe(0)
  })
})

describe('a client with settings that are warned of', () => {
  const server = useServer()
  const proxy = useProxy(server)

  it('sends a call again that was cut off, so that it is charged twice', async () => {
    const client = new Redis({ port: proxy().port, enableOfflineQueue: false })
    onTestFinished(() => client.disconnect())
    const logger = { warn: () => {}, error: () => {} }
    const store = redisStore({ client, prefix: keyPrefix(), deadlineMs: 10_000, logger })
    const limiter = createLimiter({ name: 'double', limit: LIMITS[0] as Limit, store, logger })
    await waitUntil(() => store.available?.(), { what: 'the client is connected' })
    await limiter.peek('k')
    const cut = proxy().cutAfterRequest('evalsha')
    expect(await limiter.consume('k')).toMatchObject({ allowed: true, source: 'store', used: 2 })
    await cut
  })
})

describe.each([5, 6] as const)('a cut connection to a node of a cluster, over ioredis %d', (major) => {
  let cluster: RedisCluster
  let proxies: ClusterProxies
  let open: OpenClient
  beforeAll(async () => {
    cluster = await startCluster()
    proxies = await startClusterProxies(cluster)
    open = await proxies.connect(major)
  })
  afterAll(async () => {
    open?.close()
    proxies?.stop()
    await cluster?.stop()
  })

  it.each(CUTS)('charges a decision once at most: %s', async (cut, charged) => {
    const store = redisStore({ client: open.client, prefix: keyPrefix(), deadlineMs: 10_000 })
    const proxy = await proxyOf('k')
    for (const limit of LIMITS) {
      expect(await chargedBy({ store, limit, arm: () => ({ done: proxy[cut]('evalsha') }) })).toBe(charged)
    }
  })

  async function proxyOf(key: string): Promise<TcpProxy> {
    return proxies.to((await cluster.primaryOf(await cluster.slotOf(key))).port)
  }
})

interface Cut {
  readonly store: Store
  /** Who looks at the counts. @default the store */
  readonly observer?: Store
  readonly limit?: Limit
  readonly arm: () => { readonly done: Promise<void> } | Promise<{ readonly done: Promise<void> }>
}

/** What one decision charged that was cut off. */
async function chargedBy({ store, observer = store, limit = LIMITS[0] as Limit, arm }: Cut): Promise<number> {
  const { policies } = createLimiter({ limit })
  const charge: Charge = { limiter: 'double', key: 'k', policies, costs: 1 }
  const used = async () => {
    const decision = await observer.consume([charge], 'peek')
    return decision.counted && { count: decision.used }
  }
  const before = await waitUntil(used, { what: 'the store answers', timeoutMs: 10_000 })
  const { done } = await arm()
  await expect(Promise.resolve(store.consume([charge], 'ask'))).rejects.toMatchObject({ code: 'RL_STORE' })
  await done
  const after = await waitUntil(used, { what: 'the store answers again', timeoutMs: 10_000 })
  return after.count - before.count
}
