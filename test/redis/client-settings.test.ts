import { createLimiter } from '@rl/core'
import { redisStore } from '@rl/core/redis'
import { Redis as Redis6 } from 'ioredis'
import { Redis as Redis5 } from 'ioredis5'
import { describe, expect, it, onTestFinished } from 'vitest'
import { SAFE } from '../support/redis-clients.js'
import { useServer } from '../support/use-redis.js'
import { waitUntil } from '../support/wait-until.js'

const server = useServer()

const CHANGES = {
  'commands sent together': { enableAutoPipelining: true },
  'numbers as texts': { stringNumbers: true },
  'a prefix of its own': { keyPrefix: 'app:' },
  'RESP 3 with its own shapes': { protocol: 3, replyMapping: 'resp3' },
  'RESP 2': { protocol: 2 },
} as const
const CLIENTS = [
  ['6', (options: object) => new Redis6(options)],
  ['5', (options: object) => new Redis5(options)],
] as const

describe.each(CLIENTS)('a client of ioredis %s decides as any other', (major, connect) => {
  it.each(Object.entries(CHANGES))('with %s', async (what, settings) => {
    const client = connect({ port: server().port, ...SAFE, ...settings })
    onTestFinished(() => client.disconnect())
    await waitUntil(() => client.status === 'ready', { what: 'the client is ready' })
    const warnings: string[] = []
    const logger = {
      warn: (text: string) => warnings.push(text),
      error: (text: string) => warnings.push(text),
    }
    const store = redisStore({ client, deadlineMs: 10_000, logger })
    const limiter = createLimiter({
      name: `${what}-${major}`.replaceAll(' ', '-'),
      limit: '30/1h',
      store,
      onStoreFailure: 'closed',
    })
    const decisions = await Promise.all(Array.from({ length: 50 }, () => limiter.consume('ann')))
    expect(decisions.filter(({ allowed }) => allowed)).toHaveLength(30)
    expect(new Set(decisions.map(({ source }) => source))).toEqual(new Set(['store']))
    await limiter.reset('ann')
    expect(await limiter.peek('ann')).toMatchObject({ remaining: 30 })
    expect(warnings).toEqual([])
  })
})
