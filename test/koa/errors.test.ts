import { rateLimit } from '@rl/koa'
import Koa from 'koa'
import { describe, expect, it, vi } from 'vitest'
import { limitFields } from '../contract/adapter-answers.js'
import { limitAtNoon } from '../contract/at-noon.js'
import { send } from '../support/http-client.js'
import { started, versions } from './versions.js'

const told = { 'ratelimit-policy': '"1m";q=3;w=60', ratelimit: '"1m";r=2;t=60' }

describe.each(versions)('%s: row 87: Koa clears the fields of an answer that fails', (_, Framework) => {
  /** What a client gets when a handler behind a limit of three throws this. */
  async function answerTo(thrown: unknown) {
    const app = new Framework()
    app.use(rateLimit(limitAtNoon(3))).use(() => {
      throw thrown
    })
    return send(await started(app), '/')
  }

  it.each<[string, unknown, number]>([
    ['an error', new Error('of the handler'), 500],
    ['one with a status', Object.assign(new Error('teapot'), { status: 418, expose: true }), 418],
    ['one that is no Error', { status: 400 }, 500],
  ])('but not ours: %s', async (_kind, thrown, status) => {
    const answer = await answerTo(thrown)
    expect(answer.status).toBe(status)
    if (thrown instanceof Error) expect(limitFields(answer)).toEqual(told)
  })

  it('fields that the error brings are sent too, and before ours', async () => {
    const headers = { 'X-Own': 'kept', RateLimit: 'own' }
    const answer = await answerTo(Object.assign(new Error('of the handler'), { headers }))
    expect(answer.fields).toMatchObject({
      'x-own': 'kept',
      ratelimit: 'own',
      'ratelimit-policy': '"1m";q=3;w=60',
    })
  })

  it.each<[string, () => Error]>([
    ['frozen', () => Object.freeze(new Error('of the handler'))],
    [
      'with headers of a fetch',
      () => Object.assign(new Error('upstream'), { headers: new Headers({ a: 'b' }) }),
    ],
    [
      'with headers that can’t be set',
      () => Object.defineProperty(new Error('x'), 'headers', { get: () => undefined }),
    ],
    ['with headers null', () => Object.assign(new Error('x'), { headers: null })],
  ])('an error that is %s stays as it is', async (_kind, make) => {
    const error = make() as Error & { headers?: unknown }
    const before = error.headers
    const caught = vi.fn()
    const app = new Framework()
    app.use((ctx, next) =>
      next().catch((seen) => {
        caught(seen === error, seen.headers === before)
        ctx.status = 500
      }),
    )
    app.use(rateLimit(limitAtNoon(3))).use(() => {
      throw error
    })
    await send(await started(app), '/')
    expect(caught.mock.calls).toEqual([[true, true]])
  })

  it.each([['a string'], [undefined], [Symbol('s')]])(
    'what is thrown, %o, reaches the middleware before',
    async (thrown) => {
      const caught = vi.fn()
      const app = new Framework()
      app.use((ctx, next) =>
        next().catch((seen) => {
          caught(seen)
          ctx.status = 500
        }),
      )
      app.use(rateLimit(limitAtNoon(3))).use(() => Promise.reject(thrown))
      await send(await started(app), '/')
      expect(caught.mock.calls).toEqual([[thrown]])
    },
  )

  it('with two limiters the error has the fields of both', async () => {
    const app = new Framework()
    app
      .use(rateLimit(limitAtNoon(20)))
      .use(rateLimit(limitAtNoon(5)))
      .use(() => Promise.reject(new Error('x')))
    const { fields } = await send(await started(app), '/')
    expect(fields.ratelimit).toBe('"1m";r=19;t=60, "1m-2";r=4;t=60')
  })

  it('middleware that catches the error and answers keeps them as well', async () => {
    const app = new Framework()
    app.use((ctx, next) =>
      next().catch(() => {
        ctx.status = 503
        ctx.body = 'caught'
      }),
    )
    app.use(rateLimit(limitAtNoon(3))).use(() => Promise.reject(new Error('x')))
    const answer = await send(await started(app), '/')
    expect([answer.status, answer.body, limitFields(answer)]).toEqual([503, 'caught', told])
  })
})

it('an error of the key function comes to the middleware before as it is', async () => {
  const error = new Error('no session')
  const caught = vi.fn()
  const app = new Koa()
  app.use((ctx, next) =>
    next().catch((seen) => {
      caught(seen)
      ctx.status = 500
    }),
  )
  app.use(rateLimit({ ...limitAtNoon(3), key: () => Promise.reject(error) }))
  const answer = await send(await started(app), '/')
  expect(caught.mock.calls).toEqual([[error]])
  expect(limitFields(answer)).toEqual({})
})
