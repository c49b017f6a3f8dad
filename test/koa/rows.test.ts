import { createServer } from 'node:http'
import { json } from 'node:stream/consumers'
import Router from '@koa/router'
import { rateLimit } from '@rl/koa'
import type Koa from 'koa'
import type { Middleware } from 'koa'
import { describe, expect, it, onTestFinished } from 'vitest'
import { limitAtNoon } from '../contract/at-noon.js'
import { listen } from '../contract/listen.js'
import { send, sendRaw } from '../support/http-client.js'
import { statusesOf, statusesOfPosts } from '../support/statuses.js'
import { ACCEPTED, routeUpgrades, UPGRADE } from '../support/upgrade.js'
import { started, versions } from './versions.js'

const ok: Middleware = (ctx) => {
  ctx.body = 'ok'
}

const readsJson: Middleware = async (ctx, next) => {
  ctx.state.body = await json(ctx.req)
  await next()
}

/** `/login` behind a limit of two. */
function loginApp(Framework: typeof Koa) {
  const limiter = rateLimit(limitAtNoon(2))
  const router = new Router()
  router.get('/login', limiter, ok).get('/users/:id', ok)
  const app = new Framework().use(router.routes() as Middleware).use(router.allowedMethods() as Middleware)
  return { app, used: () => limiter.limiter.peek('127.0.0.1') }
}

// The rows that every framework answers alike stand in the contract.
describe.each(versions)('%s: hostile inputs, by the row of their table', (_, Framework) => {
  it.each<[row: string, paths: readonly string[], statuses: readonly number[]]>([
    ['row 52: spellings that match are one bucket', ['/login', '/Login', '/login/'], [200, 200, 429]],
    ['row 53: encoded letters do not match', ['/%6cogin', '/log%69n', '/login'], [404, 404, 200]],
    ['row 54: dots do not match', ['/./login', '/x/../login', '/%2e/login'], [404, 404, 404]],
    ['row 56: queries and fragments', ['/login?x=1', '/login#x', '/login?x=2'], [200, 200, 429]],
    ['row 57: never a crash', ['//login', '/login;a=b', '/login%00', '/login%2f'], [404, 404, 404, 404]],
    ['row 57: never a crash', ['/login\\', '/login%', '/users/%', '/users/%ff'], [404, 404, 200, 200]],
  ])('%s: %j', async (_row, paths, statuses) => {
    const { app } = loginApp(Framework)
    expect(await statusesOf(await started(app), ...paths)).toEqual(statuses)
  })

  it('row 60: @koa/router answers OPTIONS itself, so the limiter of the route does not count it', async () => {
    const { app, used } = loginApp(Framework)
    const { status, fields } = await send(await started(app), '/login', { method: 'OPTIONS' })
    expect([status, fields.allow]).toEqual([200, 'HEAD, GET'])
    expect(used()).toMatchObject({ used: 0 })
  })

  it('row 64: a list of a thousand operations costs a thousand, and is refused as a whole', async () => {
    const limiter = rateLimit({ ...limitAtNoon(900), cost: (ctx) => ctx.state.body.length })
    const app = new Framework().use(readsJson).use(limiter).use(ok)
    const operations = (count: number) => Array.from({ length: count }, () => ({ query: '{ me }' }))
    const statuses = await statusesOfPosts(await started(app), '/', operations(1000), operations(900))
    expect(statuses).toEqual([429, 200])
  })

  it('row 65: what a body says does not change whom a request counts for', async () => {
    const app = new Framework()
      .use(readsJson)
      .use(rateLimit(limitAtNoon(2)))
      .use(ok)
    const bodies = [{ email: 'a@example.org' }, { email: 'b@example.org' }, { email: 'c@example.org' }]
    expect(await statusesOfPosts(await started(app), '/', ...bodies)).toEqual([200, 200, 429])
  })

  it('row 67: an upgrade that goes through the application counts once, and is refused with a plain 429', async () => {
    const limiter = rateLimit(limitAtNoon(1))
    const app = new Framework().use(limiter).use((ctx) => {
      ctx.respond = false
      ctx.req.socket.end(ACCEPTED)
    })
    const callback = app.callback()
    const { target, close } = await listen(routeUpgrades(createServer(callback), callback))
    onTestFinished(close)
    const [first, second] = [await sendRaw(target, UPGRADE), await sendRaw(target, UPGRADE)]
    expect(first).toBe(ACCEPTED)
    expect(second).toMatch(/^HTTP\/1\.1 429 Too Many Requests\r\n/)
    expect(second).toContain('RateLimit: "1m";r=0;t=60\r\n')
    expect(limiter.limiter.peek('127.0.0.1')).toMatchObject({ used: 1 })
  })
})
