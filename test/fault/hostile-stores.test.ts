import { setTimeout as sleep } from 'node:timers/promises'
import { createLimiter, fixedWindow } from '@rl/core'
import express from 'express'
import { describe, expect, it, onTestFinished } from 'vitest'
import { limitFields } from '../contract/adapter-answers.js'
import { serveExpress } from '../contract/express-app.js'
import { send } from '../support/http-client.js'
import { startProxy, type TcpProxy } from '../support/tcp-proxy.js'
import { waitUntil } from '../support/wait-until.js'
import { clientOf, limitedBy, untilAvailable, useMortalServer } from './lost-redis.js'

// Rows 74 to 77 of the table of hostile inputs, 5.2 in the HTTP reference: what a store may do to a limiter.
const server = useMortalServer()
const serve = serveExpress(express)

async function wire(): Promise<TcpProxy> {
  const proxy = await startProxy({ target: server().port })
  onTestFinished(() => proxy.stop())
  return proxy
}

const saying = (reply: string | Buffer) => (proxy: TcpProxy) =>
  proxy.rewrite(() => Buffer.concat([Buffer.from(reply), Buffer.from('\r\n')]))

describe('row 74: no field has a number that nobody counted, and all is well again afterwards', () => {
  it.each<[string, (proxy: TcpProxy) => void]>([
    ['hangs', (proxy) => proxy.stall()],
    [
      'refuses',
      (proxy) => {
        proxy.refuse()
        proxy.dropAll()
      },
    ],
    ['says LOADING', saying('-LOADING Redis is loading the dataset in memory')],
    ['says READONLY', saying("-READONLY You can't write against a read only replica.")],
    ['says OOM', saying("-OOM command not allowed when used memory > 'maxmemory'.")],
    ['says NOSCRIPT, whatever it is sent', saying('-NOSCRIPT No matching script. Please use EVAL.')],
    ['says MISCONF', saying('-MISCONF Redis is configured to save RDB snapshots')],
    ['says OK', saying('+OK')],
    ['says what can not be read', (proxy) => proxy.garbage('\u0001garbage\r\n')],
  ])('Redis %s', async (_, fail) => {
    const proxy = await wire()
    const limited = limitedBy(clientOf(proxy.port), { limit: '50/1h', onStoreFailure: 'open' }, 500)
    const served = await serve({ app: [limited.options] })
    onTestFinished(() => served.close())
    await untilAvailable(limited.store)
    fail(proxy)
    for (let i = 0; i < 7; i++) {
      const answer = await send(served.target, '/ok')
      expect([answer.status, limitFields(answer)]).toEqual([200, {}])
    }
    // Of a connection with false replies nobody knows which come next.
    proxy.dropAll()
    proxy.pass()
    await proxy.listen()
    const isCounted = async () => 'ratelimit' in limitFields(await send(served.target, '/ok'))
    await waitUntil(isCounted, { what: 'fields are sent again', timeoutMs: 15_000, intervalMs: 50 })
    expect(served.errors).toEqual([])
  })

  it('scripts that are gone are sent again, unseen', async () => {
    const { options, store } = limitedBy(clientOf(server().port), { limit: '5/1h' })
    const limiter = createLimiter(options)
    await untilAvailable(store)
    await limiter.consume('ann')
    await server().command('SCRIPT', 'FLUSH')
    expect(await limiter.consume('ann')).toMatchObject({ source: 'store', used: 2 })
  })
})

it('row 75: a key that lost its expiry blocks nobody for ever', async () => {
  const limit = fixedWindow({ limit: 1, window: '500ms', align: 'first-hit' })
  const { options, store } = limitedBy(clientOf(server().port), { limit })
  const limiter = createLimiter(options)
  await untilAvailable(store)
  expect(await limiter.consume('ben')).toMatchObject({ source: 'store', allowed: true })
  const [key] = (await server().command('KEYS', '*:l:{ben}')) as string[]
  expect(await server().command('PERSIST', key as string)).toBe(1)
  await limiter.consume('ben')
  await sleep(600)
  expect(await limiter.consume('ben')).toMatchObject({ source: 'store', allowed: true })
  await waitUntil(async () => (await server().command('EXISTS', key as string)) === 0, { what: 'it is gone' })
})

it('row 76: after FLUSHALL counters begin anew', async () => {
  const { options, store } = limitedBy(clientOf(server().port), { limit: '2/1h' })
  const limiter = createLimiter(options)
  await untilAvailable(store)
  for (let i = 0; i < 3; i++) await limiter.consume('ann')
  await server().command('FLUSHALL')
  expect(await limiter.consume('ann')).toMatchObject({ source: 'store', allowed: true, used: 1 })
})

describe('row 77: a reply with a number that can not be is a failure, not a decision', () => {
  /** What a script answers, but for one number: at 1 ms of 1970 one more is allowed, and so much is used. */
  const decision = (...used: readonly number[]) => {
    const numbers = Buffer.of(0xff, 1, 0, 0, ...used, 0)
    return Buffer.concat([Buffer.from(`$${numbers.length}\r\n`), numbers])
  }
  it.each<[string, string | Buffer]>([
    ['-1', decision(0xff)],
    ['beyond 2^53', decision(0xcf, 0, 0x20, 0, 0, 0, 0, 0, 1)],
    ['1.5', decision(0xcb, 0x3f, 0xf8, 0, 0, 0, 0, 0, 0)],
    ['"1.5"', decision(0xa3, 0x31, 0x2e, 0x35)],
    ['"5"', decision(0xa1, 0x35)],
    ['NaN', decision(0xcb, 0x7f, 0xf8, 0, 0, 0, 0, 0, 0)],
    ['nil', decision(0xc0)],
    ['a list', decision(0x91, 4)],
    ['half of one', decision(0xd3, 0, 0, 0)],
    ['a text', '$5\r\nvalue'],
    ['numbers that are not packed', '*5\r\n:1\r\n:0\r\n:0\r\n:4\r\n:0'],
    ['nothing at all', '$-1'],
  ])('%s', async (_, reply) => {
    const proxy = await wire()
    const { options, events, store } = limitedBy(clientOf(proxy.port), { limit: '5/1h' })
    const limiter = createLimiter(options)
    await untilAvailable(store)
    saying(reply)(proxy)
    expect(await limiter.consume('ann')).toMatchObject({ source: 'local', remaining: 4 })
    expect(events).toMatchObject([
      { type: 'outage' },
      { type: 'store-failure', error: { code: 'RL_STORE', message: /the reply/ } },
    ])
  })

  it('and all that is allowed is one: it may be that nothing is left', async () => {
    const proxy = await wire()
    const { options, store } = limitedBy(clientOf(proxy.port), { limit: '5/1h' })
    const limiter = createLimiter(options)
    await untilAvailable(store)
    saying(decision(5))(proxy)
    expect(await limiter.consume('ann')).toMatchObject({ source: 'store', remaining: 0 })
  })
})

describe('what somebody else wrote at a key', () => {
  it.each([
    ['a list', ['LPUSH', 'not ours']],
    ['half a value', ['SET', Buffer.from([0xdb, 0xff, 0xff, 0xff, 0xff])]],
    ['texts for numbers', ['SET', Buffer.from('\u00a1a\u00a1b\u00a1c\u00a1d\u00a1e', 'latin1')]],
  ] as const)('%s: is no matter of other keys, and over when it is gone', async (what, [command, value]) => {
    const { options, store } = limitedBy(clientOf(server().port), { limit: '50/1h' })
    const limiter = createLimiter(options)
    await untilAvailable(store)
    const subject = what.replaceAll(' ', '-')
    await limiter.consume(subject)
    const [key] = (await server().command('KEYS', `*:l:{${subject}}`)) as string[]
    await server().command('DEL', key as string)
    await server().command(command, key as string, value)
    for (let i = 0; i < 10; i++) expect(await limiter.consume(subject)).toMatchObject({ source: 'local' })
    expect(await limiter.consume('ann')).toMatchObject({ source: 'store', used: 1 })
    await server().command('DEL', key as string)
    expect(await limiter.consume(subject)).toMatchObject({ source: 'store', used: 1 })
  })
})
