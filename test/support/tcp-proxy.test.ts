import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { keyPrefix } from './keys.js'
import { type RedisServer, startRedis } from './redis-server.js'
import { callRedis, encodeCommand, type Reply } from './resp.js'
import { startProxy, type TcpProxy } from './tcp-proxy.js'
import { waitUntil } from './wait-until.js'

let server: RedisServer
let proxy: TcpProxy
let key: string
beforeAll(async () => {
  server = await startRedis()
})
afterAll(() => server.stop())
beforeEach(async () => {
  key = keyPrefix()
  proxy = await startProxy({ target: server.port })
})
afterEach(() => proxy.stop())

const increment = (): Promise<Reply> => callRedis(proxy.port, ['INCR', key])
const counter = async (): Promise<number> => Number((await server.command('GET', key)) ?? 0)

describe('a wire', () => {
  it('passes requests and replies, and counts', async () => {
    expect([await increment(), await increment()]).toEqual([1, 2])
    const requestBytes = 2 * encodeCommand(['INCR', key]).length
    expect(proxy.counters).toMatchObject({ connections: 2, requestBytes, replyBytes: 8 })
    await waitUntil(() => proxy.counters.open === 0, { what: 'both are closed' })
  })

  it('counts calls of scripts, whether they reach the server or not', async () => {
    await callRedis(proxy.port, ['EVAL', 'return 1', 0])
    await callRedis(proxy.port, ['evalsha', 'none', 0]).catch(() => undefined)
    await callRedis(proxy.port, ['PING'])
    expect(proxy.counters.scriptCalls).toBe(2)
    proxy.stall()
    void callRedis(proxy.port, ['EVAL', 'return 1', 0]).catch(() => undefined)
    await waitUntil(() => proxy.counters.scriptCalls === 3, { what: 'the third is counted' })
  })

  it('delays replies, not requests', async () => {
    proxy.delay(400)
    const startedAt = performance.now()
    const reply = increment()
    await waitUntil(async () => (await counter()) === 1, { what: 'it has run' })
    expect(performance.now() - startedAt).toBeLessThan(400)
    expect(await reply).toBe(1)
    expect(performance.now() - startedAt).toBeGreaterThanOrEqual(400)
  })

  it('rewrites replies', async () => {
    proxy.rewrite((reply) => Buffer.from(reply.toString().replace(':1', ':41')))
    expect(await increment()).toBe(41)
    proxy.pass()
    expect(await increment()).toBe(2)
  })
})

describe('a stalled wire', () => {
  it('is a black hole for requests, which reach the server when it ends', async () => {
    proxy.stall()
    const call = track(increment())
    await waitUntil(() => proxy.counters.requestBytes > 0, { what: 'the request is in the wire' })
    expect(await counter()).toBe(0)
    expect(call.settled).toBe(false)
    proxy.pass()
    expect(await call.promise).toBe(1)
  })

  it('still delivers what a client sent before it hung up', async () => {
    const client = await open()
    const { requestBytes } = proxy.counters
    proxy.stall()
    client.end(encodeCommand(['INCR', key]))
    await waitUntil(() => proxy.counters.requestBytes > requestBytes, { what: 'it is in the wire' })
    client.destroy()
    expect(await counter()).toBe(0)
    proxy.pass()
    await waitUntil(async () => (await counter()) === 1, { what: 'it has run' })
  })

  it('hides the death of the server', async () => {
    const client = await open()
    const closed = track(once(client, 'close'))
    proxy.stall()
    await server.kill()
    await expect(waitUntil(() => closed.settled, { what: 'it sees it', timeoutMs: 100 })).rejects.toThrow()
    proxy.pass()
    await closed.promise
    await server.restart()
  })

  it('can hold the replies alone', async () => {
    proxy.stallReplies()
    const call = track(increment())
    await waitUntil(async () => (await counter()) === 1, { what: 'it has run' })
    expect([call.settled, proxy.counters.replyBytes]).toEqual([false, 0])
    proxy.pass()
    expect(await call.promise).toBe(1)
  })
})

describe('a broken wire', () => {
  it('answers with garbage and keeps the requests from the server', async () => {
    proxy.garbage('HTTP/1.1 400 Bad Request\r\n\r\n')
    await expect(increment()).rejects.toThrow('Not a RESP2 reply')
    expect(await counter()).toBe(0)
  })

  it('drops all connections on both sides', async () => {
    const clients = await Promise.all([open(), open(), open()])
    const closed = Promise.all(clients.map((client) => once(client, 'close')))
    proxy.dropAll()
    await closed
    await waitUntil(async () => (await server.info('clients')).connected_clients === '1', {
      what: 'all left',
    })
    expect(proxy.counters).toMatchObject({ connections: 3, open: 0 })
  })

  it('loses the server without telling the client', async () => {
    const client = await open()
    const closed = track(once(client, 'close'))
    proxy.halfOpen()
    client.write(encodeCommand(['INCR', key]))
    await waitUntil(async () => (await server.info('clients')).connected_clients === '1', { what: 'it left' })
    expect([closed.settled, proxy.counters.open, await counter()]).toEqual([false, 1, 0])
    expect(await increment()).toBe(1)
    client.destroy()
  })

  it('refuses new connections only, and listens again on the same port', async () => {
    const client = await open()
    proxy.refuse()
    await expect(increment()).rejects.toThrow(/ECONNREFUSED/)
    client.write(encodeCommand(['INCR', key]))
    expect(String(await once(client, 'data'))).toBe(':1\r\n')
    await proxy.listen()
    expect(await increment()).toBe(2)
    client.destroy()
  })

  it('closes the connection when the server is not there', async () => {
    const orphan = await startProxy({ target: 1 })
    await expect(callRedis(orphan.port, ['PING'])).rejects.toThrow(/hung up|ECONNRESET/)
    orphan.stop()
  })
})

/** A client that is connected through the proxy to the server: it has had an answer. */
async function open(): Promise<Socket> {
  const client = connect(proxy.port, '127.0.0.1')
  client.write(encodeCommand(['PING']))
  await once(client, 'data')
  return client
}

function track<Value>(promise: Promise<Value>): { readonly promise: Promise<Value>; settled: boolean } {
  const call = { promise, settled: false }
  const settle = (): void => {
    call.settled = true
  }
  promise.then(settle, settle)
  return call
}
