import { rateLimit } from '@rl/koa'
import { describe, expect, it, vi } from 'vitest'
import { limitFields } from '../contract/adapter-answers.js'
import { limitAtNoon } from '../contract/at-noon.js'
import { send } from '../support/http-client.js'
import { started, versions } from './versions.js'

describe.each(versions)('%s: throw', (_, Framework) => {
  const refusing = { ...limitAtNoon(0), limit: '0/1m', throw: true } as const

  it('B46: a refusal that is thrown has Retry-After and the fields, with Koa’s own error answer', async () => {
    const app = new Framework()
    app.use(rateLimit({ ...limitAtNoon(1), throw: true })).use((ctx) => {
      ctx.body = 'ok'
    })
    const target = await started(app)
    const [allowed, refused] = [await send(target, '/'), await send(target, '/')]
    expect(allowed.status).toBe(200)
    expect([refused.status, refused.body]).toEqual([429, 'Too Many Requests'])
    expect(limitFields(refused)).toEqual({
      'ratelimit-policy': '"1m";q=1;w=60',
      ratelimit: '"1m";r=0;t=60',
      'retry-after': '60',
      'cache-control': 'no-store',
    })
  })

  it('error middleware sees status and result, and may answer', async () => {
    const app = new Framework()
    app.use((ctx, next) =>
      next().catch(({ status, rateLimit }) => {
        ctx.status = status
        ctx.body = { limiter: rateLimit.limiter, policy: rateLimit.policy, allowed: rateLimit.allowed }
      }),
    )
    app.use(rateLimit({ ...refusing, name: 'login' }))
    const { status, body } = await send(await started(app), '/')
    expect([status, JSON.parse(body)]).toEqual([429, { limiter: 'login', policy: '1m', allowed: false }])
  })

  it('onLimited is not asked then', async () => {
    const onLimited = vi.fn()
    const app = new Framework()
    app.use(rateLimit({ ...refusing, onLimited }))
    expect((await send(await started(app), '/')).status).toBe(429)
    expect(onLimited).not.toHaveBeenCalled()
  })

  it('takes true or false', () => {
    expect(() => rateLimit({ limit: '1/1m', throw: 'no' as unknown as boolean })).toThrow(
      'throw: takes true or false; got "no"',
    )
  })
})

describe.each(versions)('%s: wrapped by hand', (_, Framework) => {
  it('it gives a promise, whatever it decides and whoever throws', async () => {
    const app = new Framework()
    const limiters = [
      rateLimit(limitAtNoon(0)),
      rateLimit(limitAtNoon(1)),
      rateLimit({
        ...limitAtNoon(1),
        key: () => {
          throw new Error('no key')
        },
      }),
      rateLimit({ ...limitAtNoon(0), throw: true }),
    ]
    const ends: unknown[] = []
    app.use(async (ctx) => {
      for (const limit of limiters) {
        await (limit as (ctx: unknown, next: unknown) => Promise<unknown>)(ctx, () => 'no promise').then(
          () => ends.push(ctx.status),
          ({ message }) => ends.push(message),
        )
      }
    })
    await send(await started(app), '/')
    expect(ends).toEqual([429, 429, 'no key', 'Too Many Requests'])
  })
})
