import {
  createLimiter,
  type FixedWindow,
  fixedWindow,
  type Limit,
  type Policy,
  type SlidingLog,
  type SlidingWindow,
  slidingLog,
  slidingWindow,
  type TokenBucket,
  tokenBucket,
} from '@rl/core'
import { describe, expectTypeOf, it } from 'vitest'

describe('a builder', () => {
  it('makes a policy of its kind', () => {
    expectTypeOf(fixedWindow).returns.toEqualTypeOf<FixedWindow>()
    expectTypeOf(slidingWindow).returns.toEqualTypeOf<SlidingWindow>()
    expectTypeOf(slidingLog).returns.toEqualTypeOf<SlidingLog>()
    expectTypeOf(tokenBucket).returns.toEqualTypeOf<TokenBucket>()
  })

  it('takes a window as milliseconds or as text', () => {
    const build = (setting: string | number) => [
      fixedWindow({ limit: 5, window: 60_000 }),
      slidingLog({ limit: 5, window: '1m' }),
      tokenBucket({ capacity: 5, per: setting }),
    ]
    expectTypeOf(build).returns.items.toExtend<Policy>()
  })

  it('takes an option that may be undefined where it has a default', () => {
    const build = (align: 'epoch' | 'first-hit' | undefined, refill: number | undefined) => [
      fixedWindow({ limit: 5, window: '1m', align }),
      tokenBucket({ capacity: 5, refill, per: '1s' }),
    ]
    expectTypeOf(build).toBeFunction()
  })

  it('refuses what is none of its options', () => {
    const wrong = () => [
      // @ts-expect-error row 81: text as limit
      fixedWindow({ limit: '5', window: '1m' }),
      // @ts-expect-error no window
      slidingWindow({ limit: 5 }),
      // @ts-expect-error row 84: a peer's name for it
      slidingLog({ limit: 5, windowMs: 60_000 }),
      // @ts-expect-error a bucket has a capacity
      tokenBucket({ limit: 5, per: '1s' }),
      // @ts-expect-error no such alignment
      fixedWindow({ limit: 5, window: '1m', align: 'day' }),
    ]
    expectTypeOf(wrong).toBeFunction()
  })

  it('makes what can be told apart by its kind', () => {
    const refillOf = (policy: Policy): number => {
      // @ts-expect-error only a bucket has it
      policy.refill
      return policy.kind === 'token-bucket' ? policy.refill : policy.limit
    }
    expectTypeOf(refillOf).returns.toBeNumber()
  })

  it('makes what can not be changed', () => {
    const change = (policy: TokenBucket) => {
      // @ts-expect-error read-only
      policy.limit = 5
    }
    expectTypeOf(change).returns.toBeVoid()
  })
})

describe('a limit', () => {
  const bucket = tokenBucket({ capacity: 20, per: '1s' })

  it('is text, a policy, a list, or a record by name', () => {
    expectTypeOf('100/1m').toExtend<Limit>()
    expectTypeOf(bucket).toExtend<Limit>()
    expectTypeOf([bucket, '1000/1d']).toExtend<Limit>()
    expectTypeOf({ burst: bucket, daily: '1000/1d' }).toExtend<Limit>()
    const frozen = { burst: '20/1s', daily: '1000/1d' } as const
    expectTypeOf(frozen).toExtend<Limit>()
    const list = ['20/1s', '1000/1d'] as const
    expectTypeOf(list).toExtend<Limit>()
    expectTypeOf(createLimiter({ limit: bucket }).policies).toExtend<Limit>()
  })

  it('is nothing else', () => {
    expectTypeOf(100).not.toExtend<Limit>()
    expectTypeOf(undefined).not.toExtend<Limit>()
    expectTypeOf(null).not.toExtend<Limit>()
    expectTypeOf([100]).not.toExtend<Limit>()
    expectTypeOf({ burst: 100 }).not.toExtend<Limit>()
    expectTypeOf([['100/1m']]).not.toExtend<Limit>()
  })

  it('may be left to each call, which then names it', () => {
    const limiter = () => createLimiter({ limit: 'per-call' }).consume('a', { limit: { daily: '9/1d' } })
    expectTypeOf(limiter).toBeFunction()
  })

  it('is an option that a limiter can not do without', () => {
    const wrong = () => {
      // @ts-expect-error no limit
      createLimiter({})
      // @ts-expect-error row 84: peers' names
      createLimiter({ max: 5, windowMs: 60_000 })
      // @ts-expect-error a number
      createLimiter({ limit: 5 })
    }
    expectTypeOf(wrong).toBeFunction()
  })
})
