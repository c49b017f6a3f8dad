import { type Charge, createLimiter, type Limit, type Store } from '@rl/core'
import { redisStore } from '@rl/core/redis'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { casesOf } from '../concurrency/cases.js'
import { type ClusterProxies, startClusterProxies } from '../support/cluster-proxies.js'
import { keyPrefix } from '../support/keys.js'
import { CLIENTS, type Connect, type OpenClient } from '../support/redis-clients.js'
import { type RedisCluster, startCluster } from '../support/redis-cluster.js'
import type { TcpProxy } from '../support/tcp-proxy.js'
import { useClient, useProxy, useServer } from '../support/use-redis.js'
import { waitUntil } from '../support/wait-until.js'

const LIMITS = Object.values(casesOf(900, '36525d'))
const CUTS = ['cutAfterRequest', 'cutBeforeRequest'] as const

describe.each(Object.entries<Connect>(CLIENTS))('a cut connection, over %s', (_, connect) => {
  const server = useServer()
  const proxy = useProxy(server)
  const client = useClient(proxy, connect)

  it.each(CUTS)('charges a decision once at most: %s', async (cut) => {
    const prefix = keyPrefix()
    const store = redisStore({ client: client(), prefix, deadlineMs: 10_000 })
    for (const limit of LIMITS)
      await expectAtMostOnce(store, limit, () => ({ done: proxy()[cut]('evalsha') }))
  })

  it.each(CUTS)('charges once at most when the text of the script is cut off: %s', async (cut) => {
    const store = redisStore({ client: client(), prefix: keyPrefix(), deadlineMs: 10_000 })
    await expectAtMostOnce(store, LIMITS[0] as Limit, async () => {
      await server().command('SCRIPT', 'FLUSH')
      return { done: proxy()[cut]('#!lua') }
    })
  })

  it.each(CUTS)('charges once at most when the call that asks for the time is cut off: %s', async (cut) => {
    const prefix = keyPrefix()
    await expectAtMostOnce(
      redisStore({ client: client(), prefix, deadlineMs: 10_000 }),
      LIMITS[0] as Limit,
      () => {
        return { done: proxy()[cut]('evalsha') }
      },
    )
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

  it.each(CUTS)('charges a decision once at most: %s', async (cut) => {
    const store = redisStore({ client: open.client, prefix: keyPrefix(), deadlineMs: 10_000 })
    const proxy = await proxyOf('k')
    for (const limit of LIMITS) await expectAtMostOnce(store, limit, () => ({ done: proxy[cut]('evalsha') }))
  })

  async function proxyOf(key: string): Promise<TcpProxy> {
    return proxies.to((await cluster.primaryOf(await cluster.slotOf(key))).port)
  }
})

interface Armed {
  readonly done: Promise<void>
}

/** One decision that is cut off: it fails, and was charged once or not at all. */
async function expectAtMostOnce(
  store: Store,
  limit: Limit,
  arm: () => Armed | Promise<Armed>,
): Promise<void> {
  const { policies } = createLimiter({ limit })
  const charge: Charge = { limiter: 'double', key: 'k', policies, costs: 1 }
  const used = async () => {
    const decision = await store.consume([charge], 'peek')
    return decision.counted && { count: decision.used }
  }
  const before = await waitUntil(used, { what: 'the store answers', timeoutMs: 10_000 })
  const { done } = await arm()
  await expect(Promise.resolve(store.consume([charge], 'ask'))).rejects.toMatchObject({ code: 'RL_STORE' })
  await done
  const after = await waitUntil(used, { what: 'the store answers again', timeoutMs: 10_000 })
  expect([0, 1]).toContain(after.count - before.count)
}
