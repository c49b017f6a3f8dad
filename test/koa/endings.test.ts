import { once } from 'node:events'
import type { Outcome } from '@rl/core/http'
import { rateLimit } from '@rl/koa'
import type { Context } from 'koa'
import { describe, expect, it, vi } from 'vitest'
import { limitFields } from '../contract/adapter-answers.js'
import { limitAtNoon } from '../contract/at-noon.js'
import { open, rawGet, send } from '../support/http-client.js'
import { started, versions } from './versions.js'

describe.each(versions)('%s: B99: nothing is written once headers are sent', (_, Framework) => {
  it.each([3, 0])('an answer that was sent before stands, against limit %i', async (limit) => {
    const errors = vi.fn()
    const app = new Framework()
    app.on('error', errors)
    app.use((ctx, next) => {
      ctx.respond = false
      ctx.res.end('first')
      return next()
    })
    app.use(rateLimit(limitAtNoon(limit))).use(() => {})
    const answer = await send(await started(app), '/')
    expect([answer.body, limitFields(answer)]).toEqual(['first', {}])
    expect(errors).not.toHaveBeenCalled()
  })

  it('an onLimited that answers is not followed by the default answer', async () => {
    const app = new Framework()
    app.use(
      rateLimit({
        ...limitAtNoon(0),
        onLimited: (ctx) => {
          ctx.body = { error: 'slow' }
        },
      }),
    )
    const { status, body, fields } = await send(await started(app), '/')
    expect([status, JSON.parse(body)]).toEqual([429, { error: 'slow' }])
    expect(fields).toMatchObject({ 'content-type': 'application/json; charset=utf-8', ratelimit: '"1m";r=0' })
  })
})

describe.each(versions)('%s: row 88: answers of every kind have the fields', (_, Framework) => {
  const answers: readonly [kind: string, answer: (ctx: Context) => void, status: number][] = [
    ['a body', (ctx) => Object.assign(ctx, { body: 'ok' }), 200],
    ['JSON', (ctx) => Object.assign(ctx, { body: { ok: true } }), 200],
    ['no body', (ctx) => Object.assign(ctx, { body: null }), 204],
    ['a redirect', (ctx) => ctx.redirect('/other'), 302],
    ['nothing at all', () => {}, 404],
    ['Node’s own response', (ctx) => Object.assign(ctx, { respond: false }).res.end('raw'), 404],
  ]

  it.each(answers)('%s', async (_kind, answer, status) => {
    const app = new Framework()
    app.use(rateLimit(limitAtNoon(3))).use(answer)
    const { status: seen, fields } = await send(await started(app), '/')
    expect([seen, fields.ratelimit]).toEqual([status, '"1m";r=2;t=60'])
  })
})

describe.each(versions)('%s: row 33: a client that is gone before the limiter runs', (_, Framework) => {
  it('is no error, counts once at most, and its end is told with what was counted', async () => {
    const outcomes: Outcome[] = []
    const arrived = vi.fn()
    const logger = { warn: vi.fn(), error: vi.fn() }
    const app = new Framework()
    app.use(async (ctx, next) => {
      arrived()
      await once(ctx.res, 'close')
      await next()
    })
    app.use(rateLimit({ ...limitAtNoon(3), logger, onDone: (_ctx, outcome) => outcomes.push(outcome) }))
    const socket = open(await started(app), rawGet('/'))
    await vi.waitFor(() => expect(arrived).toHaveBeenCalled())
    socket.destroy()
    await vi.waitFor(() => expect(outcomes).not.toEqual([]))
    expect(outcomes).toMatchObject([{ status: undefined, aborted: true, result: { used: 1 } }])
  })
})
