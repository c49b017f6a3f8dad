import Router from '@koa/router'
import {
  getRateLimit,
  type RateLimitMiddleware,
  type RateLimitOptions,
  type RateLimitResult,
  type RateLimitState,
  rateLimit,
} from '@rl/koa'
import Koa, { type Context, type Middleware } from 'koa'
import { describe, expectTypeOf, it } from 'vitest'

interface Member {
  user: { readonly sub: string }
}

describe('types of the Koa adapter', () => {
  const limiter = rateLimit({ limit: '5/1m' })

  it('the middleware fits an application and a router, with and without a type of state', () => {
    new Koa().use(limiter)
    new Koa<Member>().use(limiter)
    new Router().use(limiter).get('/', limiter)
    new Router<Member>().use(limiter).get('/', limiter)
    expectTypeOf(limiter).toEqualTypeOf<RateLimitMiddleware>()
    expectTypeOf(limiter).toExtend<Middleware>()
    expectTypeOf(new Koa().use(limiter)).toExtend<Koa>()
  })

  it('ctx.state.rateLimit is typed for what follows, beside what was there', () => {
    new Koa<Member>().use(limiter).use((ctx) => {
      expectTypeOf(ctx.state.rateLimit).toEqualTypeOf<RateLimitResult>()
      expectTypeOf(ctx.state.user.sub).toBeString()
    })
    expectTypeOf<RateLimitState>().toEqualTypeOf<{ rateLimit: RateLimitResult }>()
  })

  it('functions get Koa’s context, or a narrower one', () => {
    rateLimit({ limit: '5/1m', key: (ctx) => ctx.state.user.sub })
    rateLimit<Context & { state: Member }>({ limit: '5/1m', key: (ctx) => ctx.state.user.sub })
    expectTypeOf<NonNullable<RateLimitOptions['skip']>>().parameter(0).toEqualTypeOf<Context>()
    expectTypeOf<NonNullable<RateLimitOptions['onLimited']>>().parameters.toEqualTypeOf<
      [Context, RateLimitResult]
    >()
  })

  it('getRateLimit takes any context and gives a result or nothing', () => {
    new Koa<Member>().use((ctx) => {
      expectTypeOf(getRateLimit(ctx)).toEqualTypeOf<RateLimitResult | undefined>()
    })
  })

  it('what would be no limit does not compile', () => {
    // @ts-expect-error: there is no option duration
    const peer = () => rateLimit({ limit: '5/1m', duration: 60_000 })
    // @ts-expect-error: a number has no window
    const number = () => rateLimit({ limit: 5 })
    // @ts-expect-error: true or false
    const throws = () => rateLimit({ limit: '5/1m', throw: 'yes' })
    expectTypeOf([peer, number, throws]).toBeArray()
  })
})
