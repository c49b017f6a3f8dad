import type { Cluster, Redis } from 'ioredis'
import { afterEach, describe, expect, it } from 'vitest'
import { connectRedis, connectRedisCluster } from './ioredis.js'
import { warnOfSettings } from './redis/client-settings.js'

const clients: (Redis | Cluster)[] = []
afterEach(() => {
  for (const client of clients.splice(0)) client.disconnect()
})

/** None of them connects: that is for the tests that have a server. */
function lazily<T extends Redis | Cluster>(client: T): T {
  clients.push(client)
  return client
}

const SAFE = {
  enableOfflineQueue: false,
  maxRetriesPerRequest: 0,
  connectTimeout: 1000,
  maxLoadingRetryTime: 500,
  socketTimeout: 5000,
  enableAutoPipelining: false,
}

describe('connectRedis', () => {
  it.each([
    ['an address', 'redis://127.0.0.1:12000?lazyConnect=true'],
    ['options', { port: 12_000, lazyConnect: true }],
  ])('takes %s, and sets what a limiter needs', (_, target) => {
    const { options } = lazily(connectRedis(target))
    expect(options).toMatchObject({ ...SAFE, port: 12_000 })
  })

  it('lets options win', () => {
    const client = lazily(connectRedis({ lazyConnect: true, connectTimeout: 5, keyPrefix: 'app:' }))
    expect(client.options).toMatchObject({ ...SAFE, connectTimeout: 5, keyPrefix: 'app:' })
  })

  it('has no settings that are warned of', () => {
    const warnings: string[] = []
    const logger = { warn: (message: string) => void warnings.push(message), error: () => {} }
    warnOfSettings(lazily(connectRedis({ lazyConnect: true })), logger)
    warnOfSettings(lazily(connectRedisCluster([{ port: 12_000 }], { lazyConnect: true })), logger)
    expect(warnings).toEqual([])
  })

  it.each([
    [1, 50],
    [2, 100],
    [3, 200],
    [4, 400],
    [5, 800],
    [6, 1000],
    [7, 1000],
    [1000, 1000],
  ])('waits before attempt %d to connect again for three to four quarters of %d ms', (attempt, ms) => {
    const { retryStrategy } = lazily(connectRedis({ lazyConnect: true })).options
    for (let i = 0; i < 100; i++) {
      const delay = retryStrategy?.(attempt)
      expect(delay).toBeGreaterThanOrEqual(0.75 * ms)
      expect(delay).toBeLessThanOrEqual(ms)
    }
  })

  it.each([
    ['READONLY You can’t write against a read only replica.', true],
    ['ERR Error running script (call to f_0): @user_script:9: @user_script: 9: -READONLY You can’t …', true],
    ['LOADING Redis is loading the dataset in memory', false],
    ['NOSCRIPT No matching script.', false],
    ['OOM command not allowed', false],
  ])('B71: leaves a server that says %s: %s', (message, leaves) => {
    const { reconnectOnError } = lazily(connectRedis({ lazyConnect: true })).options
    expect(reconnectOnError?.(new Error(message))).toBe(leaves)
  })
})

describe('connectRedisCluster', () => {
  it('sets what a limiter needs, for the cluster and for its nodes', () => {
    const { options } = lazily(connectRedisCluster([{ port: 12_000 }], { lazyConnect: true }))
    expect(options).toMatchObject({
      enableOfflineQueue: false,
      retryDelayOnFailover: 0,
      retryDelayOnClusterDown: 0,
    })
    expect(options.redisOptions).toMatchObject(SAFE)
    expect(options.clusterRetryStrategy?.(1000)).toBeLessThanOrEqual(1000)
  })

  it('lets options win, those of the nodes too', () => {
    const redisOptions = { password: 'secret', connectTimeout: 5 }
    const client = connectRedisCluster([{ port: 12_000 }], {
      lazyConnect: true,
      slotsRefreshTimeout: 77,
      redisOptions,
    })
    const { options } = lazily(client)
    expect(options).toMatchObject({ retryDelayOnFailover: 0, slotsRefreshTimeout: 77 })
    expect(options.redisOptions).toMatchObject({ ...SAFE, password: 'secret', connectTimeout: 5 })
  })
})
