import { once } from 'node:events'
import type { Server } from 'node:http'
import { createAdaptorServer, upgradeWebSocket, type WebSocketServerLike } from '@hono/node-server'
import { rateLimit } from '@rl/hono'
import { Hono } from 'hono'
import { describe, expect, it, onTestFinished } from 'vitest'
import { WebSocketServer } from 'ws'
import { listen } from '../contract/listen.js'
import { open, send, sendRaw } from '../support/http-client.js'
import { statusesOf, statusesOfPosts } from '../support/statuses.js'
import { UPGRADE } from '../support/upgrade.js'
import { onNode, started } from './served.js'

/** `/login` behind a limit of two. */
function loginApp() {
  const limiter = rateLimit(onNode(2))
  const app = new Hono().get('/login', limiter, (c) => c.text('ok')).get('/users/:id', (c) => c.text('ok'))
  return { app, used: () => limiter.limiter.peek('127.0.0.1') }
}

// The rows that every framework answers alike stand in the contract.
describe('hostile inputs, by the row of their table', () => {
  it.each<[row: string, paths: readonly string[], statuses: readonly number[]]>([
    ['row 52: other spellings do not match', ['/Login', '/login/', '/login'], [404, 404, 200]],
    ['row 53: encoded letters are one bucket', ['/%6cogin', '/log%69n', '/login'], [200, 200, 429]],
    ['row 54: so are dots', ['/./login', '/x/../login', '/%2e/login'], [200, 200, 429]],
    ['row 56: queries and fragments', ['/login?x=1', '/login#x', '/login?x=2'], [200, 200, 429]],
    ['row 57: never a crash', ['//login', '/login;a=b', '/login%00', '/login%2f'], [404, 404, 404, 404]],
    ['row 57: never a crash', ['/login\\', '/login%', '/users/%', '/users/%ff'], [400, 404, 200, 200]],
  ])('%s: %j', async (_row, paths, statuses) => {
    expect(await statusesOf(await started(loginApp().app), ...paths)).toEqual(statuses)
  })

  it('row 54: middleware on a path sees the same spelling as the route, so none goes round it', async () => {
    const app = new Hono().use('/login', rateLimit(onNode(2))).get('/login', (c) => c.text('ok'))
    const paths = ['/./login', '/%6cogin', '/x/../login', '/%2e/login']
    expect(await statusesOf(await started(app), ...paths)).toEqual([200, 200, 429, 429])
  })

  it('row 60: OPTIONS of a route with a limit is no use of that limit', async () => {
    const { app, used } = loginApp()
    expect((await send(await started(app), '/login', { method: 'OPTIONS' })).status).toBe(404)
    expect(used()).toMatchObject({ used: 0 })
  })

  it('row 64: a list of a thousand operations costs a thousand, and is refused as a whole', async () => {
    const limiter = rateLimit({ ...onNode(900), cost: async (c) => (await c.req.json()).length })
    const app = new Hono().use(limiter).post('/', (c) => c.text('ok'))
    const operations = (count: number) => Array.from({ length: count }, () => ({ query: '{ me }' }))
    const statuses = await statusesOfPosts(await started(app), '/', operations(1000), operations(900))
    expect(statuses).toEqual([429, 200])
  })

  it('row 65: what a body says does not change whom a request counts for', async () => {
    const app = new Hono().use(rateLimit(onNode(2))).post('/', async (c) => c.json(await c.req.json()))
    const bodies = [{ email: 'a@example.org' }, { email: 'b@example.org' }, { email: 'c@example.org' }]
    expect(await statusesOfPosts(await started(app), '/', ...bodies)).toEqual([200, 200, 429])
  })

  it('row 67: an upgrade counts once, its answer has the fields, and a refusal is a plain 429', async () => {
    const limiter = rateLimit(onNode(1))
    const accept = upgradeWebSocket(() => ({}))
    const app = new Hono().get('/socket', limiter, accept)
    const server = new WebSocketServer({ noServer: true }) as unknown as WebSocketServerLike
    const listening = createAdaptorServer({ fetch: app.fetch, websocket: { server } }) as Server
    const { target, close } = await listen(listening)
    onTestFinished(close)
    const socket = open(target, UPGRADE)
    const [first] = await once(socket, 'data')
    const second = await sendRaw(target, UPGRADE)
    socket.destroy()
    expect(first).toMatch(/^HTTP\/1\.1 101 Switching Protocols\r\n/)
    expect(first).toContain('ratelimit: "1m";r=0;t=60\r\n')
    expect(second).toMatch(/^HTTP\/1\.1 429 Too Many Requests\r\n/)
    expect(second).toContain('retry-after: 60\r\n')
    expect(limiter.limiter.peek('127.0.0.1')).toMatchObject({ used: 1 })
  })
})
