import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ensureBuilt } from '../scripts/setup.mjs'
import { rawGet, send, sendRaw } from '../support/http-client.js'
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

const HOSTILE = [
  ' ',
  '0',
  '-1',
  'undefined',
  'null',
  '__proto__',
  'constructor',
  '{}',
  '}{',
  '{a}:{b}',
  '60:ann',
  ':',
  '*',
  '?',
  '[a-z]',
  '#',
  '##',
  '%',
  '%25',
  '%007b',
  '%~',
  '\0',
  'a\0b',
  '\r\nX-Injected: 1',
  '\r\n*1\r\n$8\r\nFLUSHALL\r\n',
  "'; return redis.call('FLUSHALL') --",
  '"quoted"\\',
  '<script>alert(1)</script>',
  '../../etc/passwd',
  '😀',
  'é',
  'e\u0301',
  '\u202egnp',
  '\u2028',
  '\ufeff',
  '😀'.repeat(64),
  'x'.repeat(128),
  `${'x'.repeat(127)}y`,
  '\u0001'.repeat(128),
]

describe('a client id may be any text', () => {
  const once = { limit: '1', rate_or_window: '2592000', algorithm: 'fixed_window' }

  it('each counts alone, comes back as it was sent, and changes nothing but its counter', async () => {
    for (const client_id of HOSTILE) {
      const { status, body, headers } = await check(node.url, { client_id, ...once })
      expect([status, body.client_id, body.source]).toEqual([200, client_id, 'store'])
      expect(headers.has('X-Injected')).toBe(false)
    }
    for (const client_id of HOSTILE) expect((await check(node.url, { client_id, ...once })).status).toBe(429)
    const keys = (await redis.command('KEYS', '*')) as string[]
    expect(keys).toHaveLength(HOSTILE.length)
    // Printable, and with braces around the subject alone.
    for (const key of keys) expect(key).toMatch(/^check:fixed_window:\{[!-z|~]+\}$/)
  })

  it('a plus is a space and %2B a plus, as in every form', async () => {
    const ask = async (raw: string) => (await send(target(), `/check?client_id=${raw}`)).body
    expect(JSON.parse(await ask('a+b')).client_id).toBe('a b')
    expect(JSON.parse(await ask('a%2Bb')).client_id).toBe('a+b')
  })
})

it('in Redis each client, algorithm and window is one key, as long as a log is short, and each expires', async () => {
  const longest = { limit: '3', cost: '1', client_id: 'keys', rate_or_window: '2592000' }
  const slowest = { ...longest, rate_or_window: '0.000002' }
  for (const _again of [1, 2]) {
    await check(node.url, { ...slowest, algorithm: 'token_bucket' })
    for (const algorithm of ['sliding_window', 'sliding_window_counter', 'fixed_window'])
      await check(node.url, { ...longest, algorithm })
  }
  const keys = (await redis.command('KEYS', 'check:*:keys}*')) as string[]
  expect(keys.sort()).toEqual([
    'check:fixed_window:{2592000:keys}',
    'check:sliding_window:{2592000:keys}',
    'check:sliding_window_counter:{2592000:keys}',
    'check:token_bucket:{0.000002:keys}',
  ])
  for (const key of keys) {
    const days = Number(await redis.command('PTTL', key)) / 86_400_000
    expect(days).toBeGreaterThan(0)
    expect(days).toBeLessThanOrEqual(60)
  }
})

describe('requests that are no check', () => {
  it.each([
    ['HEAD', '/check?client_id=a', 404],
    ['POST', '/check?client_id=a', 404],
    ['GET', '/check/?client_id=a', 404],
    ['GET', '/CHECK?client_id=a', 404],
    ['GET', '//check?client_id=a', 404],
    ['GET', '/nothing', 404],
    ['GET', '/%zz', 400],
  ])('%s %s: %i, a problem document that no cache keeps', async (method, path, status) => {
    const { fields, ...answer } = await send(target(), path, { method })
    expect(answer.status).toBe(status)
    expect(fields['cache-control']).toBe('no-store')
    if (method !== 'HEAD') expect(JSON.parse(answer.body)).toMatchObject({ status })
  })

  it('GET / says what to ask', async () => {
    const { status, body } = await send(target(), '/')
    expect([status, body]).toEqual([200, expect.stringContaining('GET /check?client_id=')])
  })

  it.each([
    ['a space', 'GET /check?client_id=a b HTTP/1.1\r\nHost: x\r\n\r\n', 400],
    ['UTF-8 that is not percent-encoded', rawGet('/check?client_id=\xc3\xa9'), 400],
    ['a request with two lengths', rawGet('/', 'Content-Length: 6', 'Transfer-Encoding: chunked'), 400],
    ['a header of 20 kB', rawGet('/', `Big: ${'x'.repeat(20_000)}`), 431],
  ])('%s is answered with what to do, and the service goes on', async (_what, bytes, status) => {
    const [head = '', body = ''] = (await sendRaw(target(), bytes)).split('\r\n\r\n')
    expect(head).toMatch(new RegExp(`^HTTP/1\\.1 ${status} .*\r\nContent-Type: application/problem\\+json`))
    expect(JSON.parse(body)).toMatchObject({ status, detail: expect.any(String) })
    expect((await fetch(`${node.url}/health`)).status).toBe(200)
  })
})

function target() {
  return { host: '127.0.0.1', port: node.port }
}
