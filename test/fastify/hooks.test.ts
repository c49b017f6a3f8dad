import { rateLimit } from '@rl/fastify'
import { fastify } from 'fastify'
import { describe, expect, it } from 'vitest'
import { limitAtNoon } from '../contract/at-noon.js'
import { send } from '../support/http-client.js'
import { statusesOf, statusesOfPosts } from '../support/statuses.js'
import { ok, started } from './served.js'

declare module 'fastify' {
  interface FastifyRequest {
    tenant: string
  }
}

describe('hook', () => {
  it('B101: a limiter behind a hook that knows the user has a limit for each', async () => {
    const app = fastify()
    app.decorateRequest('tenant', '')
    app.addHook('onRequest', (request, _reply, done) => {
      request.tenant = String(request.headers['x-user'])
      done()
    })
    app.register(rateLimit, { ...limitAtNoon(1), key: (request) => request.tenant }).get('/', ok)
    const target = await started(app)
    const statuses = []
    for (const user of ['u1', 'u2', 'u1', 'u2'])
      statuses.push((await send(target, '/', { headers: { 'x-user': user } })).status)
    expect(statuses).toEqual([200, 200, 429, 429])
  })

  it('preHandler: behind hooks of every earlier phase, registered in any order, and behind the body', async () => {
    const app = fastify()
    app.decorateRequest('tenant', '')
    const key = ({ tenant, body }: { tenant: string; body: unknown }) =>
      `${tenant} ${(body as { id: string }).id}`
    app.register(rateLimit, { ...limitAtNoon(1), hook: 'preHandler', key })
    app.addHook('preValidation', (request, _reply, done) => {
      request.tenant = 't'
      done()
    })
    app.post('/', (request) => request.rateLimit?.key)
    const target = await started(app)
    expect(await statusesOfPosts(target, '/', { id: 1 }, { id: 2 }, { id: 1 })).toEqual([200, 200, 429])
  })

  it.each([
    ['onRequest', 429],
    ['preValidation', 400],
    ['preHandler', 400],
  ] as const)('%s: a body that is none is met before or after the limit', async (hook, status) => {
    const app = fastify()
    app.register(rateLimit, { ...limitAtNoon(0), hook }).post('/', ok)
    const headers = { 'content-type': 'application/json' }
    const answer = await send(await started(app), '/', { method: 'POST', headers, body: '{' })
    expect(answer.status).toBe(status)
  })
})

describe('a hook made by hand', () => {
  it('app.rateLimit({ … }) limits where it is put', async () => {
    const app = fastify()
    await app.register(rateLimit)
    app.get('/', { preHandler: app.rateLimit(limitAtNoon(1)) }, ok).get('/free', ok)
    expect(await statusesOf(await started(app), '/', '/', '/free')).toEqual([200, 429, 200])
  })

  it('app.rateLimit() is the limit for all, which counts a request once', async () => {
    const app = fastify()
    await app.register(rateLimit, limitAtNoon(3))
    app.get('/', { preHandler: [app.rateLimit(), app.rateLimit()] }, ok)
    expect((await send(await started(app), '/')).fields.ratelimit).toBe('"1m";r=2;t=60')
  })

  it('app.rateLimit() of a plugin without a limit lets pass', async () => {
    const app = fastify()
    await app.register(rateLimit)
    app.get('/', { preHandler: app.rateLimit() }, ok)
    expect(await statusesOf(await started(app), '/')).toEqual([200])
  })
})
