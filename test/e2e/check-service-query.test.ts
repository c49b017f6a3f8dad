import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ensureBuilt } from '../scripts/setup.mjs'
import { type RedisServer, startRedis } from '../support/redis-server.js'
import { type Node, startNode } from './check-service.js'

let redis: RedisServer
let node: Node
beforeAll(async () => {
  ensureBuilt()
  redis = await startRedis()
  node = await startNode(['--redis', redis.url, '--prefix', 'query'])
}, 180_000)
afterAll(async () => {
  node.kill()
  await node.ended
  await redis.stop()
})

describe('a parameter that is wrong is a 400 that names it, and charges nothing', () => {
  it.each([
    ['client_id', ''],
    ['client_id', 'limit=5'],
    ['client_id', 'client_id'],
    ['client_id', 'client_id='],
    ['client_id', `client_id=${'x'.repeat(129)}`],
    ['client_id', `client_id=${'x'.repeat(10_000)}`],
    ['client_id', 'client_id=%ff'],
    ['client_id', 'client_id=%'],
    ['client_id', 'client_id=%ED%A0%80'],
    ['client_id', 'client_id=a&client_id=b'],
    ['client_id', 'client_id=a&client_id=a'],
    ['client_id', 'client_id=a&client%5Fid=b'],
    ['client_id[]', 'client_id[]=a'],
    ['__proto__', '__proto__=1'],
    ['limt', 'client_id=a&limt=5'],
    ['Limit', 'client_id=a&Limit=5'],
    ['%zz', 'client_id=a&%zz=5'],
    ['', 'client_id=a&=5'],
    ['algorithm', 'client_id=a&algorithm='],
    ['algorithm', 'client_id=a&algorithm=leaky_bucket'],
    ['algorithm', 'client_id=a&algorithm=toString'],
    ['algorithm', 'client_id=a&algorithm=FIXED_WINDOW'],
    ['limit', 'client_id=a&limit='],
    ['limit', 'client_id=a&limit=0'],
    ['limit', 'client_id=a&limit=-1'],
    ['limit', 'client_id=a&limit=+5'],
    ['limit', 'client_id=a&limit=1.5'],
    ['limit', 'client_id=a&limit=1e3'],
    ['limit', 'client_id=a&limit=0x10'],
    ['limit', 'client_id=a&limit=NaN'],
    ['limit', 'client_id=a&limit=Infinity'],
    ['limit', 'client_id=a&limit=%D9%A5'],
    ['limit', 'client_id=a&limit=1000001'],
    ['limit', 'client_id=a&limit=99999999999999999999'],
    ['limit', 'client_id=a&algorithm=sliding_window&limit=100001'],
    ['limit', 'client_id=a&limit=5&limit=50'],
    ['rate_or_window', 'client_id=a&rate_or_window='],
    ['rate_or_window', 'client_id=a&rate_or_window=0'],
    ['rate_or_window', 'client_id=a&rate_or_window=0.000'],
    ['rate_or_window', 'client_id=a&rate_or_window=-60'],
    ['rate_or_window', 'client_id=a&rate_or_window=1e2'],
    ['rate_or_window', 'client_id=a&rate_or_window=.5'],
    ['rate_or_window', 'client_id=a&rate_or_window=5.'],
    ['rate_or_window', 'client_id=a&rate_or_window=60s'],
    ['rate_or_window', 'client_id=a&rate_or_window=60%0A'],
    ['rate_or_window', 'client_id=a&rate_or_window=0.0005'],
    ['rate_or_window', 'client_id=a&rate_or_window=2592000.001'],
    ['rate_or_window', 'client_id=a&algorithm=token_bucket&rate_or_window=0.3333333'],
    ['rate_or_window', 'client_id=a&algorithm=token_bucket&limit=1000000&rate_or_window=0.1'],
    ['cost', 'client_id=a&cost=0'],
    ['cost', 'client_id=a&cost=-1'],
    ['cost', 'client_id=a&cost=0.5'],
    ['cost', 'client_id=a&cost=1000001'],
  ])('%s in ?%s', async (field, query) => {
    const response = await fetch(`${node.url}/check?${query}`)
    const body = (await response.json()) as { field: string; detail: string }
    expect([response.status, body.field]).toEqual([400, field])
    expect(response.headers.get('Content-Type')).toBe('application/problem+json; charset=utf-8')
    expect(body.detail.startsWith(`${field} `)).toBe(true)
    expect(body.detail.length).toBeLessThan(300)
    expect(await redis.command('KEYS', 'query:*:{*:a}')).toEqual([])
  })
})
