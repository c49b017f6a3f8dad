import {
  byCookie,
  byIp,
  byUser,
  cachedLimit,
  firstOf,
  getRateLimit,
  type RateLimitHandler,
  type RateLimitOptions,
  type RateLimitResult,
  rateLimit,
} from '@rl/express'
import express, { type NextFunction, type Request, type RequestHandler, type Response } from 'express'
import type { Request as AuthenticatedRequest } from 'express-jwt'
import { describe, expectTypeOf, it } from 'vitest'

describe('types of the Express adapter', () => {
  it('the middleware fits app, router and route', () => {
    const limiter = rateLimit({ limit: '5/1m' })
    express().use(limiter).use('/api', limiter).get('/', limiter, limiter)
    express.Router().use(limiter).post('/', limiter)
    expectTypeOf(limiter).toEqualTypeOf<RateLimitHandler>()
    expectTypeOf(limiter).toExtend<RequestHandler>()
  })

  it('functions get Express’s request, or the one that an authentication makes of it', () => {
    rateLimit({ limit: '5/1m', key: (req) => req.get('x-user') })
    rateLimit<AuthenticatedRequest>({
      limit: '5/1m',
      key: (req) => req.auth?.sub,
      skip: (req) => req.auth?.admin === true,
    })
    rateLimit({ limit: (req: Request) => (req.query.paid ? '100/1m' : '5/1m') })
    expectTypeOf<NonNullable<RateLimitOptions['skip']>>().parameter(0).toEqualTypeOf<Request>()
    expectTypeOf<NonNullable<RateLimitOptions<AuthenticatedRequest>['onLimited']>>().parameters.toEqualTypeOf<
      [AuthenticatedRequest, Response, NextFunction, RateLimitResult]
    >()
  })

  it('getRateLimit gives a result or nothing', () => {
    expectTypeOf(getRateLimit).returns.toEqualTypeOf<RateLimitResult | undefined>()
  })

  it('what would be no limit does not compile', () => {
    // @ts-expect-error: there is no option windowMs
    const peer = () => rateLimit({ limit: '5/1m', windowMs: 60_000 })
    // @ts-expect-error: a number has no window
    const number = () => rateLimit({ limit: 5 })
    // @ts-expect-error: a key is no object
    const key = () => rateLimit({ limit: '5/1m', key: () => ({}) })
    expectTypeOf([peer, number, key]).toBeArray()
  })

  it('key functions, lists and loaded limits get it too', () => {
    const options: RateLimitOptions = {
      limit: cachedLimit((req) => (req.query.paid ? '100/1m' : '5/1m'), {
        by: (req) => req.get('x-user'),
        ttl: '1m',
        onError: 'refuse',
      }),
      key: firstOf(
        byUser((req: Request) => req.get('x-user')),
        byCookie('sid', { known: (_value, req: Request) => req.get('x-user') !== undefined }),
        byIp({ trust: { hops: 1, peers: 'private' } }),
      ),
      allow: (req) => req.get('x-user') === 'probe',
      deny: {
        ips: 'linklocal',
        keys: ['user:7', 7],
        when: async (req) => req.get('x-user') === 'x',
        status: 429,
      },
      address: byIp(),
    }
    const user: RateLimitOptions = { limit: '5/1m', key: byUser((req) => req.get('x-user')) }
    expectTypeOf([options, user]).toBeArray()
    // @ts-expect-error: a status that is no refusal
    const status: RateLimitOptions = { limit: '5/1m', deny: { status: 200 } }
    // @ts-expect-error: a failure has to be provided for
    const failure = () => cachedLimit(() => '5/1m', { by: () => 'a', ttl: '1m' })
    expectTypeOf([status, failure]).toBeArray()
  })
})
