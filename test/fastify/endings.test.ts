import { rateLimit } from '@rl/fastify'
import { fastify } from 'fastify'
import { describe, expect, it } from 'vitest'
import { limitFields } from '../contract/adapter-answers.js'
import { limitAtNoon } from '../contract/at-noon.js'
import { send } from '../support/http-client.js'
import { ok, started } from './served.js'

describe('B99, row 88: an answer that another has begun', () => {
  it.each([3, 0])('sent by a hook that goes on: it stands, against limit %i', async (limit) => {
    const app = fastify()
    app.addHook('onRequest', (_request, reply, done) => {
      reply.send('first')
      done()
    })
    app.register(rateLimit, limitAtNoon(limit)).get('/', ok)
    expect((await send(await started(app), '/')).body).toBe('first')
  })

  it.each([3, 0])('hijacked by a hook: nothing is written into it, against limit %i', async (limit) => {
    const app = fastify()
    app.addHook('onRequest', (_request, reply, done) => {
      reply.hijack()
      setTimeout(() => reply.raw.end('raw'), 10)
      done()
    })
    app.register(rateLimit, limitAtNoon(limit)).get('/', ok)
    const answer = await send(await started(app), '/')
    expect([answer.status, answer.body, limitFields(answer)]).toEqual([200, 'raw', {}])
  })

  it('hijacked by the handler: Fastify drops every field that it holds, ours too', async () => {
    const app = fastify()
    app.register(rateLimit, limitAtNoon(3))
    app.get('/', (_request, reply) => {
      reply.hijack()
      reply.raw.end('raw')
    })
    const answer = await send(await started(app), '/')
    expect([answer.status, answer.body, limitFields(answer)]).toEqual([200, 'raw', {}])
  })
})
