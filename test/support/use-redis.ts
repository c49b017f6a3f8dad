import type { ScriptClient } from '@rl/core/redis'
import { afterAll, beforeAll } from 'vitest'
import { CLIENTS, type Connect, type OpenClient } from './redis-clients.js'
import { type RedisOptions, type RedisServer, startRedis } from './redis-server.js'
import { startProxy, type TcpProxy } from './tcp-proxy.js'

/** A server for the tests of a file or a `describe`, there while they run. */
export function useServer(options: RedisOptions | (() => Promise<RedisOptions>) = {}): () => RedisServer {
  let server: RedisServer | undefined
  beforeAll(async () => {
    server = await startRedis(typeof options === 'function' ? await options() : options)
  })
  afterAll(() => server?.stop())
  return () => there(server)
}

/** A client of it, or of what else listens on a port. */
export function useClient(
  target: () => { readonly port: number },
  connect: Connect = CLIENTS['ioredis 6'],
): () => ScriptClient {
  let open: OpenClient | undefined
  beforeAll(async () => {
    open = await connect([target().port])
  })
  afterAll(() => open?.close())
  return () => there(open).client
}

/** A wire with faults in front of a server. */
export function useProxy(target: () => { readonly port: number }): () => TcpProxy {
  let proxy: TcpProxy | undefined
  beforeAll(async () => {
    proxy = await startProxy({ target: target().port })
  })
  afterAll(() => proxy?.stop())
  return () => there(proxy)
}

function there<T>(thing: T | undefined): T {
  if (thing === undefined) throw new Error('It is there while tests run, not before')
  return thing
}
