import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { keyPrefix } from './keys.js'
import { type RedisServer, startRedis } from './redis-server.js'
import { callRedis, type Reply } from './resp.js'
import { startProxy, type TcpProxy } from './tcp-proxy.js'

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

describe('a cut wire', () => {
  it('after the request: the server has counted 1 and the client has not had a byte', async () => {
    const cut = proxy.cutAfterRequest()
    await expect(increment()).rejects.toThrow(/hung up|ECONNRESET/)
    await cut
    expect([await counter(), proxy.counters.replyBytes]).toEqual([1, 0])
    expect(await increment()).toBe(2)
  })

  it('before the request: the server has counted 0', async () => {
    const cut = proxy.cutBeforeRequest()
    await expect(increment()).rejects.toThrow(/hung up|ECONNRESET/)
    await cut
    expect([await counter(), proxy.counters.replyBytes]).toEqual([0, 0])
    expect(await increment()).toBe(1)
  })

  it('only at the request that is meant', async () => {
    const cut = proxy.cutAfterRequest('incr')
    expect(await callRedis(proxy.port, ['PING'])).toBe('PONG')
    await expect(increment()).rejects.toThrow(/hung up|ECONNRESET/)
    await cut
    expect(await counter()).toBe(1)
  })

  it('is disarmed by pass()', async () => {
    void proxy.cutBeforeRequest()
    proxy.pass()
    expect(await increment()).toBe(1)
  })
})
