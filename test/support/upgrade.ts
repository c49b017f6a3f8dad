import { type IncomingMessage, type RequestListener, type Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/** A WebSocket handshake. */
export const UPGRADE: string = [
  ...['GET /socket HTTP/1.1', 'Host: a', 'Connection: Upgrade', 'Upgrade: websocket'],
  ...['Sec-WebSocket-Version: 13', 'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==', '', ''],
].join('\r\n')

/** What a handler sends that accepts it. */
export const ACCEPTED: string = [
  ...['HTTP/1.1 101 Switching Protocols', 'Upgrade: websocket', 'Connection: Upgrade', '', ''],
].join('\r\n')

/** Has upgrades go through the application, as WebSocket plugins do: what it does not accept is answered as any request. */
export function routeUpgrades(server: Server, listener: RequestListener): Server {
  return server.on('upgrade', (req: IncomingMessage, socket: Socket) => {
    const res = new ServerResponse(req)
    res.assignSocket(socket)
    res.on('finish', () => socket.end())
    listener(req, res)
  })
}
