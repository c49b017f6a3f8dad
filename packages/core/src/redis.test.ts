import { describe, expect, it } from 'vitest'
import { thrown } from '../../../test/support/thrown.js'
import { type RedisClient, type RedisStoreOptions, redisStore } from './redis.js'

function silent(settings: Partial<RedisClient> = {}): RedisClient {
  const never = () => new Promise<unknown>(() => {})
  return { evalshaBuffer: never, evalBuffer: never, del: never, ...settings }
}

describe('redisStore refuses', () => {
  const client = silent()
  const { evalshaBuffer, ...without } = client
  const isNone = 'client: takes an ioredis client, or fromNodeRedis(client) for node-redis; got'
  const deadline = 'deadlineMs: must be whole milliseconds from 1 to 60000; got'
  const prefix = 'prefix: is 1 to 64 of A-Z a-z 0-9 space _ . : - and begins with a letter or digit; got'
  it.each<[string, unknown, string]>([
    ['no options', undefined, 'redisStore: takes an object of options; got undefined'],
    ['a client in place of options', 'redis://x', 'redisStore: takes an object of options; got "redis://x"'],
    ['no client', {}, `${isNone} undefined`],
    ['null', { client: null }, `${isNone} null`],
    ['an address', { client: 'redis://x' }, `${isNone} "redis://x"`],
    ['a client of node-redis', { client: { ...without, evalSha: evalshaBuffer } }, `${isNone} an object`],
    ['a deadline of 0', { client, deadlineMs: 0 }, `${deadline} 0`],
    ['half a millisecond', { client, deadlineMs: 0.5 }, `${deadline} 0.5`],
    ['more than a minute', { client, deadlineMs: 60_001 }, `${deadline} 60001`],
    ['no end', { client, deadlineMs: Number.POSITIVE_INFINITY }, `${deadline} Infinity`],
    ['NaN', { client, deadlineMs: Number.NaN }, `${deadline} NaN`],
    ['a deadline as text', { client, deadlineMs: '50' }, `${deadline} "50"`],
    ['null as a deadline', { client, deadlineMs: null }, `${deadline} null`],
    ['braces, which would decide the slot', { client, prefix: 'a{b}' }, `${prefix} "a{b}"`],
    ['an empty prefix', { client, prefix: '' }, `${prefix} ""`],
    ['a line break', { client, prefix: 'a\nb' }, String.raw`${prefix} "a\nb"`],
    ['a long prefix', { client, prefix: 'x'.repeat(65) }, `${prefix} "${'x'.repeat(65)}"`],
    [
      'a logger that can not warn',
      { client, logger: {} },
      'logger: takes an object with warn(message) and error(message); got an object',
    ],
    [
      'a misspelt option',
      { client, deadlineMS: 5 },
      'redisStore: there is no option "deadlineMS". Did you mean "deadlineMs"?',
    ],
    [
      'an option of others',
      { client, keyPrefix: 'x' },
      'redisStore: there is no option "keyPrefix". It takes client, prefix, deadlineMs, logger, onEvent.',
    ],
  ])('%s', (_, options, message) => {
    expect(thrown(() => redisStore(options as RedisStoreOptions))).toMatchObject({
      code: 'RL_CONFIG',
      message,
    })
  })
})

describe('redisStore', () => {
  it('warns once of a client with settings that a limiter must not have', () => {
    const warnings: string[] = []
    const logger = { warn: (message: string) => void warnings.push(message), error: () => {} }
    redisStore({ client: silent({ options: { enableOfflineQueue: true, maxRetriesPerRequest: 0 } }), logger })
    expect(warnings).toEqual([expect.stringContaining('should have enableOfflineQueue: false')])
  })

  it.each([
    ['ready', true],
    ['wait', true],
    [undefined, true],
    ['connecting', false],
    ['connect', false],
    ['reconnecting', false],
    ['close', false],
    ['end', false],
  ])('with a client that says %s is available: %s', (status, available) => {
    const client = silent(status === undefined ? {} : { status })
    expect(redisStore({ client }).available?.()).toBe(available)
  })

  it('closes without closing the client, and twice', async () => {
    const store = redisStore({ client: silent() })
    await store.close()
    expect(await store.close()).toBeUndefined()
  })
})
