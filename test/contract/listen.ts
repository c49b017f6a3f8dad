import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer, type RequestListener, type Server } from 'node:http'
import { createServer as createHttp2Server, type Http2Server } from 'node:http2'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Target } from '../support/http-client.js'
import type { App } from './served.js'

interface Listening {
  readonly target: Target
  close(): Promise<void>
}

/** Room for all sockets that a test opens at once: of more than Node's 511 the kernel may cut some off. */
const BACKLOG = 4096

/** A server for what takes requests of HTTP/1 and, through Node's compatibility layer, of HTTP/2. */
export function serverOf(listener: RequestListener, how: App['listen']): Server | Http2Server {
  if (how !== 'http2') return createServer(listener)
  return createHttp2Server(listener as unknown as Parameters<typeof createHttp2Server>[1])
}

/** Lets a server listen as the application asks. */
export async function listen(server: Server | Http2Server, how: App['listen'] = 'tcp'): Promise<Listening> {
  if (how === 'unix socket') return onSocket(server)
  server.listen({ port: 0, host: how === 'dual-stack' ? '::' : '127.0.0.1', backlog: BACKLOG })
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return { target: { host: '127.0.0.1', port }, close: () => stop(server) }
}

async function onSocket(server: Server | Http2Server): Promise<Listening> {
  const folder = await mkdtemp(join(tmpdir(), 'rl-socket-'))
  const socketPath = join(folder, 'http')
  server.listen(socketPath)
  await once(server, 'listening')
  const close = async () => {
    await stop(server)
    await rm(folder, { recursive: true })
  }
  return { target: { socketPath }, close }
}

async function stop(server: Server | Http2Server): Promise<void> {
  server.close()
  if ('closeAllConnections' in server) server.closeAllConnections()
  if (server.listening) await once(server, 'close')
}
