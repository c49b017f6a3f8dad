import { once } from 'node:events'
import { createServer } from 'node:http'
import type { Outcome } from '@rl/core/http'
import { getRateLimit, rateLimit } from '@rl/express'
import express5, { type ErrorRequestHandler, type Express } from 'express'
import request from 'supertest'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { limitAtNoon } from '../contract/at-noon.js'
import { listen } from '../contract/listen.js'
import { open, rawGet } from '../support/http-client.js'
import { versions } from './versions.js'

async function started(app: Express) {
  const { target, close } = await listen(createServer(app))
  onTestFinished(close)
  return target
}

describe.each(versions)('%s: B99: nothing is written once headers are sent', (_, express) => {
  it.each([3, 0])(
    'the limiter runs after an answer, against limit %i, without an error or a second body',
    async (limit) => {
      const errors = vi.fn()
      const app = express()
      app.use((_req, res, next) => {
        res.send('first')
        next()
      })
      app.use(rateLimit(limitAtNoon(limit)))
      app.use(((error, _req, _res, next) => {
        errors(error)
        next()
      }) satisfies ErrorRequestHandler)
      app.use((_req, _res) => {})
      const { status, text, headers } = await request(app).get('/')
      expect([status, text, headers.ratelimit]).toEqual([200, 'first', undefined])
      expect(errors).not.toHaveBeenCalled()
    },
  )

  it('an onLimited that answers is not followed by the default answer', async () => {
    const app = express()
    app.use(
      rateLimit({ ...limitAtNoon(0), onLimited: (_req, res) => res.status(429).json({ error: 'slow' }) }),
    )
    const { status, body, headers } = await request(app).get('/')
    expect([status, body]).toEqual([429, { error: 'slow' }])
    expect(headers['content-type']).toBe('application/json; charset=utf-8')
  })

  it('an onLimited that only passes on lets the request pass, with the fields of a refusal', async () => {
    const app = express()
    app.use(rateLimit({ ...limitAtNoon(0), onLimited: (_req, _res, next) => next() }))
    app.get('/', (req, res) => res.status(200).json({ allowed: getRateLimit(req)?.allowed }))
    const { status, body, headers } = await request(app).get('/')
    expect([status, body]).toEqual([200, { allowed: false }])
    expect(headers.ratelimit).toBe('"1m";r=0')
  })
})

describe.each(versions)('%s: errors', (_, express) => {
  it('one that a handler throws is not taken for the limiter’s: the handler runs once', async () => {
    const [handler, errors] = [vi.fn(), vi.fn()]
    const app = express()
    app.use(rateLimit(limitAtNoon(3)))
    app.get('/', () => {
      handler()
      throw new Error('of the handler')
    })
    app.use(((error, _req, res, _next) => {
      errors(error)
      res.status(500).end()
    }) satisfies ErrorRequestHandler)
    await request(app).get('/')
    expect(handler).toHaveBeenCalledOnce()
    expect(errors.mock.calls).toEqual([[new Error('of the handler')]])
  })

  it('one of a key that comes later reaches next, and the handler does not run', async () => {
    const handler = vi.fn()
    const app = express()
    app.use(rateLimit({ ...limitAtNoon(3), key: () => Promise.reject(new Error('no session')) }))
    app.get('/', handler)
    app.use(((error, _req, res, _next) => res.status(503).send(error.message)) satisfies ErrorRequestHandler)
    const { status, text } = await request(app).get('/')
    expect([status, text]).toEqual([503, 'no session'])
    expect(handler).not.toHaveBeenCalled()
  })

  it.each([[undefined], ['route']])('an onLimited that fails with %o lets nothing pass', async (reason) => {
    const handler = vi.fn()
    const app = express()
    app.use(rateLimit({ ...limitAtNoon(0), onLimited: () => Promise.reject(reason) }))
    app.get('/', handler)
    app.use(((_error, _req, res, _next) => res.status(500).end()) satisfies ErrorRequestHandler)
    const { status } = await request(app).get('/')
    expect(status).toBe(500)
    expect(handler).not.toHaveBeenCalled()
  })
})

describe.each(versions)('%s: row 33: a client that is gone before the limiter runs', (_, express) => {
  it('is no error, counts once at most, and its end is told with what was counted', async () => {
    const outcomes: Outcome[] = []
    const [arrived, logger] = [vi.fn(), { warn: vi.fn(), error: vi.fn() }]
    const app = express()
    app.use((_req, res, next) => {
      res.once('close', () => next())
      arrived()
    })
    app.use(rateLimit({ ...limitAtNoon(3), logger, onDone: (_req, outcome) => outcomes.push(outcome) }))
    const socket = open(await started(app), rawGet('/'))
    await vi.waitFor(() => expect(arrived).toHaveBeenCalled())
    socket.destroy()
    await once(socket, 'close')
    await vi.waitFor(() => expect(outcomes).not.toEqual([]))
    expect(outcomes).toMatchObject([{ status: undefined, aborted: true, result: { used: 1 } }])
  })
})

it('row 87: an async handler of Express 5 that rejects keeps the fields', async () => {
  const app = express5()
  app.use(rateLimit(limitAtNoon(3)))
  app.get('/', async () => {
    await Promise.reject(new Error('of the handler'))
  })
  app.use(((_error, _req, res, _next) => res.status(500).end()) satisfies ErrorRequestHandler)
  const { status, headers } = await request(app).get('/')
  expect([status, headers.ratelimit]).toEqual([500, '"1m";r=2;t=60'])
})
