import { getConnInfo } from '@hono/node-server/conninfo'
import {
  byCookie,
  byIp,
  byUser,
  cachedLimit,
  firstOf,
  type GetConnInfo,
  getRateLimit,
  type RateLimitMiddleware,
  type RateLimitOptions,
  type RateLimitResult,
  rateLimit,
} from '@rl/hono'
import { type Context, Hono, type MiddlewareHandler } from 'hono'
import type { GetConnInfo as HonoGetConnInfo } from 'hono/conninfo'
import { describe, expectTypeOf, it } from 'vitest'

type Env = { Variables: { user: string } }

describe('types of the Hono adapter', () => {
  const limiter = rateLimit({ limit: '5/1m', getConnInfo })

  it('the middleware fits an application with and without an environment', () => {
    new Hono().use(limiter).use('/api/*', limiter)
    new Hono<Env>().use(limiter).get('/', limiter, (c) => c.text(c.get('user')))
    expectTypeOf(limiter).toEqualTypeOf<RateLimitMiddleware>()
    expectTypeOf(limiter).toExtend<MiddlewareHandler>()
  })

  it('c.var.rateLimit is typed for what follows, beside what was there', () => {
    new Hono<Env>().use(limiter).get('/', (c) => {
      expectTypeOf(c.var.rateLimit).toEqualTypeOf<RateLimitResult>()
      expectTypeOf(c.get('rateLimit')).toEqualTypeOf<RateLimitResult>()
      expectTypeOf(c.var.user).toBeString()
      return c.text('ok')
    })
    new Hono().get('/', limiter, (c) => {
      expectTypeOf(c.var.rateLimit).toEqualTypeOf<RateLimitResult>()
      return c.text('ok')
    })
  })

  it('getConnInfo of every runtime fits', () => {
    expectTypeOf<HonoGetConnInfo>().toExtend<GetConnInfo>()
    expectTypeOf(getConnInfo).toExtend<GetConnInfo>()
  })

  it('functions get Hono’s context, or one with an environment', () => {
    rateLimit({ limit: '5/1m', key: (c) => c.req.header('x-user') })
    rateLimit<Context<Env>>({ limit: '5/1m', key: (c) => c.var.user, cost: (c) => c.var.user.length })
    expectTypeOf<NonNullable<RateLimitOptions['skip']>>().parameter(0).toEqualTypeOf<Context>()
    expectTypeOf<NonNullable<RateLimitOptions['onLimited']>>().parameters.toEqualTypeOf<
      [Context, RateLimitResult]
    >()
    expectTypeOf<NonNullable<RateLimitOptions['onLimited']>>().returns.toExtend<
      Response | PromiseLike<Response>
    >()
  })

  it('getRateLimit takes any context and gives a result or nothing', () => {
    new Hono<Env>().get('/', (c) => {
      expectTypeOf(getRateLimit(c)).toEqualTypeOf<RateLimitResult | undefined>()
      return c.text('ok')
    })
  })

  it('what would be no limit does not compile', () => {
    // @ts-expect-error: there is no option keyGenerator
    const peer = () => rateLimit({ limit: '5/1m', keyGenerator: () => 'a' })
    // @ts-expect-error: a refusal is a Response
    const refusal = () => rateLimit({ limit: '5/1m', getConnInfo, onLimited: () => 'slow' })
    expectTypeOf([peer, refusal]).toBeArray()
  })

  it('key functions, lists and loaded limits get it too', () => {
    const options: RateLimitOptions = {
      limit: cachedLimit((c) => (c.req.query('paid') ? '100/1m' : '5/1m'), {
        by: (c) => c.req.header('x-user'),
        ttl: '1m',
        onError: 'refuse',
      }),
      key: firstOf(
        byUser((c: Context) => c.req.header('x-user')),
        byCookie('sid', { known: (_value, c: Context) => c.req.header('x-user') !== undefined }),
        byIp({ trust: { hops: 1, peers: 'private' } }),
      ),
      allow: (c) => c.req.header('x-user') === 'probe',
      deny: {
        ips: 'linklocal',
        keys: ['user:7', 7],
        when: async (c) => c.req.header('x-user') === 'x',
        status: 429,
      },
      address: byIp(),
    }
    const user: RateLimitOptions = { limit: '5/1m', key: byUser((c) => c.req.header('x-user')) }
    expectTypeOf([options, user]).toBeArray()
    // @ts-expect-error: a status that is no refusal
    const status: RateLimitOptions = { limit: '5/1m', deny: { status: 200 } }
    // @ts-expect-error: a failure has to be provided for
    const failure = () => cachedLimit(() => '5/1m', { by: () => 'a', ttl: '1m' })
    expectTypeOf([status, failure]).toBeArray()
  })
})
