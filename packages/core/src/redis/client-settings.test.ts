import { describe, expect, it } from 'vitest'
import type { RedisClient } from './client.js'
import { warnOfSettings } from './client-settings.js'

function warningsOf(client: Partial<RedisClient>): readonly string[] {
  const warnings: string[] = []
  const none = () => Promise.resolve()
  warnOfSettings(
    { evalshaBuffer: none, evalBuffer: none, del: none, ...client },
    { warn: (message) => warnings.push(message), error: () => {} },
  )
  return warnings
}

const SAFE = { enableOfflineQueue: false, maxRetriesPerRequest: 0 }
const SAFE_CLUSTER = {
  enableOfflineQueue: false,
  retryDelayOnFailover: 0,
  redisOptions: { maxRetriesPerRequest: 0 },
}

describe('one warning names the settings with which a limit is not kept', () => {
  it('of a client with the defaults of ioredis', () => {
    expect(warningsOf({ options: { enableOfflineQueue: true, maxRetriesPerRequest: 20 } })).toEqual([
      '[rl] redisStore: the client should have enableOfflineQueue: false (else calls wait for a lost Redis), ' +
        'maxRetriesPerRequest: 0 (else a cut call is sent again and charges twice). ' +
        'connectRedis of @rl/core/ioredis sets all of it.',
    ])
  })

  it('of a Cluster with the defaults of ioredis', () => {
    const options = { enableOfflineQueue: true, retryDelayOnFailover: 100, redisOptions: {} }
    expect(warningsOf({ isCluster: true, options })).toEqual([
      '[rl] redisStore: the client should have enableOfflineQueue: false (else calls wait for a lost Redis), ' +
        'retryDelayOnFailover: 0 (else a cut call is sent again and charges twice), ' +
        'redisOptions: { maxRetriesPerRequest: 0 (else a cut call is sent again and charges twice) }. ' +
        'connectRedis of @rl/core/ioredis sets all of it.',
    ])
  })

  it.each([
    ['the queue', { ...SAFE, enableOfflineQueue: true }, 'enableOfflineQueue: false'],
    ['endless retries', { ...SAFE, maxRetriesPerRequest: null }, 'maxRetriesPerRequest: 0'],
    ['a single retry', { ...SAFE, maxRetriesPerRequest: 1 }, 'maxRetriesPerRequest: 0'],
  ])('%s', (_, options, named) => {
    expect(warningsOf({ options })).toEqual([expect.stringContaining(`should have ${named} (`)])
  })

  it.each([
    ['the queue', { ...SAFE_CLUSTER, enableOfflineQueue: true }, 'enableOfflineQueue: false ('],
    [
      'commands sent together',
      { ...SAFE_CLUSTER, enableAutoPipelining: true },
      'enableAutoPipelining: false (',
    ],
    ['the delay', { ...SAFE_CLUSTER, retryDelayOnFailover: 100 }, 'retryDelayOnFailover: 0 ('],
    ['the nodes', { ...SAFE_CLUSTER, redisOptions: undefined }, 'redisOptions: { maxRetriesPerRequest: 0 ('],
  ])('%s of a Cluster', (_, options, named) => {
    expect(warningsOf({ isCluster: true, options })).toEqual([
      expect.stringContaining(`should have ${named}`),
    ])
  })
})

describe('nothing is said', () => {
  it('of safe settings', () => {
    expect(warningsOf({ options: SAFE })).toEqual([])
    expect(warningsOf({ isCluster: true, options: SAFE_CLUSTER })).toEqual([])
  })

  it('of a client that shows none', () => {
    expect(warningsOf({})).toEqual([])
  })
})
