import { createServer, type IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { rateLimit } from '@rl/express'
import express from 'express'
import { expect, it, onTestFinished } from 'vitest'
import { limitAtNoon } from '../contract/at-noon.js'
import { listen } from '../contract/listen.js'
import { sendRaw } from '../support/http-client.js'

const UPGRADE = [
  ...['GET /socket HTTP/1.1', 'Host: a', 'Connection: Upgrade', 'Upgrade: websocket'],
  ...['Sec-WebSocket-Version: 13', 'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==', '', ''],
].join('\r\n')

it('row 67: a WebSocket upgrade that goes through the application counts once, and is refused with a plain 429', async () => {
  const limiter = rateLimit(limitAtNoon(1))
  const app = express()
  app.get('/socket', limiter, (req) => {
    req.socket.end('HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n')
  })
  const server = createServer(app)
  server.on('upgrade', (req: IncomingMessage, socket: Socket) => {
    const res = new ServerResponse(req)
    res.assignSocket(socket)
    res.on('finish', () => socket.end())
    app(req, res)
  })
  const { target, close } = await listen(server)
  onTestFinished(close)
  const [first, second] = [await sendRaw(target, UPGRADE), await sendRaw(target, UPGRADE)]
  expect(first).toMatch(/^HTTP\/1\.1 101 Switching Protocols\r\n/)
  expect(second).toMatch(/^HTTP\/1\.1 429 Too Many Requests\r\n/)
  expect(second).toContain('RateLimit: "1m";r=0;t=60\r\n')
  expect(limiter.limiter.peek('127.0.0.1')).toMatchObject({ used: 1 })
})

it('row 67: a server that knows no upgrades answers it as a request, and it counts once', async () => {
  const limiter = rateLimit(limitAtNoon(3))
  const { target, close } = await listen(createServer(express().use(limiter)))
  onTestFinished(close)
  const answer = await sendRaw(target, UPGRADE.replace('Connection: Upgrade', 'Connection: Upgrade, close'))
  expect(answer).toMatch(/^HTTP\/1\.1 404 /)
  expect(limiter.limiter.peek('127.0.0.1')).toMatchObject({ used: 1 })
})
