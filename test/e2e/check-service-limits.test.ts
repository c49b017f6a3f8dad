import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ensureBuilt } from '../scripts/setup.mjs'
import { type RedisServer, startRedis } from '../support/redis-server.js'
import { check, type Node, startNode } from './check-service.js'

let redis: RedisServer
let node: Node
beforeAll(async () => {
  ensureBuilt()
  redis = await startRedis()
  node = await startNode(['--redis', redis.url])
}, 180_000)
afterAll(async () => {
  node.kill()
  await node.ended
  await redis.stop()
})

describe('what a check asks for is what it gets', () => {
  it('only the client is needed: 100 in 60 seconds, by the sliding window of two counters', async () => {
    const { status, body, headers } = await check(node.url, { client_id: 'plain' })
    expect(status).toBe(200)
    expect(body).toEqual({
      allowed: true,
      client_id: 'plain',
      algorithm: 'sliding_window_counter',
      limit: 100,
      remaining: 99,
      retry_after_ms: 0,
      reset_after_ms: expect.any(Number),
      source: 'store',
      reason: 'ok',
    })
    expect(headers.get('X-RateLimit-Limit')).toBe('100')
    expect(headers.get('X-RateLimit-Remaining')).toBe('99')
    expect(headers.get('X-RateLimit-Allowed')).toBe('true')
    expect(headers.get('Cache-Control')).toBe('no-store')
    expect(headers.has('Retry-After')).toBe(false)
  })

  it.each([
    ['token_bucket', '3', '0.5', 6000],
    ['token_bucket', '5', '2.5', 2000],
    ['token_bucket', '3', '0.3', 10_000],
    ['token_bucket', '1', '0.000001', 1_000_000_000],
    ['token_bucket', '1000000', '1000000', 1000],
    ['sliding_window', '3', '1.5', 1500],
    ['sliding_window', '100000', '2592000', 2_592_000_000],
  ])(
    '%s, limit %s, %s: a client that used it up has it back after %i ms',
    async (algorithm, limit, span, ms) => {
      const parameters = { client_id: `span-${limit}`, algorithm, limit, rate_or_window: span, cost: limit }
      const { status, body } = await check(node.url, parameters)
      expect([status, body.remaining, body.reset_after_ms]).toEqual([200, 0, ms])
    },
  )

  it('a cost is charged whole or not at all', async () => {
    const ask = (cost: string) =>
      check(node.url, {
        client_id: 'cost',
        algorithm: 'fixed_window',
        limit: '10',
        rate_or_window: '2592000',
        cost,
      })
    expect((await ask('7')).body).toMatchObject({ allowed: true, remaining: 3 })
    const refused = await ask('4')
    expect(refused.body).toMatchObject({ allowed: false, remaining: 3, reason: 'limit' })
    expect(refused.headers.get('X-RateLimit-Allowed')).toBe('false')
    expect(Number(refused.headers.get('Retry-After'))).toBe(
      Math.ceil(Number(refused.body.retry_after_ms) / 1000),
    )
    expect((await ask('3')).body).toMatchObject({ allowed: true, remaining: 0 })
  })

  it('a cost above the limit never passes, so there is nothing to wait for', async () => {
    const { status, body, headers } = await check(node.url, { client_id: 'never', limit: '5', cost: '6' })
    expect([status, body.reason, body.retry_after_ms, body.remaining]).toEqual([429, 'never', null, 5])
    expect(headers.has('Retry-After')).toBe(false)
  })

  it('one spelling of a window or another, one counter; another window, another counter', async () => {
    const ask = async (rate_or_window: string) => {
      const { body } = await check(node.url, {
        client_id: 'spelling',
        algorithm: 'sliding_window',
        rate_or_window,
      })
      return body.remaining
    }
    expect([await ask('90'), await ask('90.0'), await ask('090.000'), await ask('91')]).toEqual([
      99, 98, 97, 99,
    ])
  })

  it('a limit that changes keeps what was counted', async () => {
    const ask = async (limit: string, cost: string) =>
      (await check(node.url, { client_id: 'raise', algorithm: 'sliding_window', limit, cost })).body.remaining
    expect([await ask('10', '4'), await ask('20', '1'), await ask('6', '1')]).toEqual([6, 15, 0])
  })
})
