import Router from '@koa/router'
import {
  byCookie,
  byIp,
  byUser,
  cachedLimit,
  firstOf,
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

  it('key functions, lists and loaded limits get it too', () => {
    const options: RateLimitOptions = {
      limit: cachedLimit((ctx) => (ctx.query.paid ? '100/1m' : '5/1m'), {
        by: (ctx) => ctx.get('x-user'),
        ttl: '1m',
        onError: 'refuse',
      }),
      key: firstOf(
        byUser((ctx: Context) => ctx.get('x-user')),
        byCookie('sid', { known: (_value, ctx: Context) => ctx.get('x-user') !== undefined }),
        byIp({ trust: { hops: 1, peers: 'private' } }),
      ),
      allow: (ctx) => ctx.get('x-user') === 'probe',
      deny: {
        ips: 'linklocal',
        keys: ['user:7', 7],
        when: async (ctx) => ctx.get('x-user') === 'x',
        status: 429,
      },
      address: byIp(),
    }
    const user: RateLimitOptions = { limit: '5/1m', key: byUser((ctx) => ctx.get('x-user')) }
    expectTypeOf([options, user]).toBeArray()
    // @ts-expect-error: a status that is no refusal
    const status: RateLimitOptions = { limit: '5/1m', deny: { status: 200 } }
    // @ts-expect-error: a failure has to be provided for
    const failure = () => cachedLimit(() => '5/1m', { by: () => 'a', ttl: '1m' })
    expectTypeOf([status, failure]).toBeArray()
  })
})
