import {
  type Counted,
  createLimiter,
  type Decision,
  isRateLimitError,
  type MaybePromise,
  type PolicyResult,
  RateLimitError,
  type RateLimitErrorCode,
  type Receipt,
  type Uncounted,
} from '@rl/core'
import { describe, expectTypeOf, it } from 'vitest'

describe('a decision', () => {
  it('has numbers only where it was counted', () => {
    expectTypeOf<Decision>().toEqualTypeOf<Counted | Uncounted>()
    expectTypeOf<Uncounted>().not.toHaveProperty('remaining')
    expectTypeOf<Uncounted>().not.toHaveProperty('limit')
    expectTypeOf<Uncounted>().not.toHaveProperty('retryAfterMs')
    expectTypeOf<Uncounted>().not.toHaveProperty('policies')
    expectTypeOf<Uncounted>().not.toHaveProperty('receipt')
  })

  it('is told apart by `counted`', () => {
    const read = (decision: Decision): number => {
      // @ts-expect-error not known to be counted
      decision.remaining
      if (!decision.counted) {
        expectTypeOf(decision).toEqualTypeOf<Uncounted>()
        return 0
      }
      expectTypeOf(decision).toEqualTypeOf<Counted>()
      return decision.remaining
    }
    expectTypeOf(read).returns.toBeNumber()
  })

  it('B90: a refusal is a value: `allowed` is there for every decision', () => {
    expectTypeOf<Decision['allowed']>().toBeBoolean()
    expectTypeOf<Decision['source']>().toExtend<string>()
    expectTypeOf<Decision['reason']>().toExtend<string>()
  })

  it('may have no wait, for never', () => {
    expectTypeOf<Counted['retryAfterMs']>().toEqualTypeOf<number | null>()
    expectTypeOf<Counted['resetAfterMs']>().toEqualTypeOf<number | null>()
    expectTypeOf<Counted['receipt']>().toEqualTypeOf<Receipt | null>()
    const seconds = (decision: Counted): number => {
      // @ts-expect-error null is no number
      const wait: number = decision.retryAfterMs
      return decision.retryAfterMs === null ? 0 : decision.retryAfterMs / wait
    }
    expectTypeOf(seconds).returns.toBeNumber()
  })

  it('lists every policy, of a kind that can be told apart', () => {
    expectTypeOf<Counted['policies']>().toEqualTypeOf<readonly PolicyResult[]>()
    expectTypeOf<PolicyResult['kind']>().toEqualTypeOf<
      'fixed-window' | 'sliding-window' | 'sliding-log' | 'token-bucket'
    >()
  })

  it('says who decided in words that later versions may add to', () => {
    const decided: Uncounted = {
      counted: false,
      allowed: true,
      source: 'a new source',
      reason: 'a new reason',
    }
    expectTypeOf(decided.source).toExtend<string>()
  })

  it('can not be changed', () => {
    const change = (decision: Counted): void => {
      // @ts-expect-error read-only
      decision.allowed = true
      // @ts-expect-error read-only
      decision.policies.push()
    }
    expectTypeOf(change).returns.toBeVoid()
  })
})

describe('a limiter', () => {
  const limiter = createLimiter({ limit: '5/1m' })

  it('answers at once or later, and can be awaited either way', () => {
    expectTypeOf(limiter.consume('a')).toEqualTypeOf<MaybePromise<Decision>>()
    expectTypeOf(limiter.peek('a')).toEqualTypeOf<MaybePromise<Decision>>()
    expectTypeOf(limiter.charge('a')).toEqualTypeOf<MaybePromise<Decision>>()
    expectTypeOf(limiter.reset('a')).toEqualTypeOf<MaybePromise<void>>()
    expectTypeOf<Awaited<ReturnType<typeof limiter.consume>>>().toEqualTypeOf<Decision>()
  })

  it('takes strings, numbers and bigints as keys', () => {
    const wrong = (maybe: string | undefined) => {
      // @ts-expect-error B08: a key that may be undefined
      void limiter.consume(maybe)
      // @ts-expect-error row 34: null
      void limiter.consume(null)
      // @ts-expect-error row 34: an object
      void limiter.consume({ id: 1 })
    }
    expectTypeOf(limiter.consume).parameter(0).toEqualTypeOf<string | number | bigint>()
    expectTypeOf(wrong).toBeFunction()
  })

  it('takes one cost, or one for each policy', () => {
    const calls = () => {
      void limiter.consume('a', { cost: 3 })
      void limiter.consume('a', { cost: { requests: 1, tokens: 400 }, limit: '9/1m' })
      // @ts-expect-error row 82: text
      void limiter.consume('a', { cost: '3' })
      // @ts-expect-error text in a record
      void limiter.consume('a', { cost: { tokens: '400' } })
      // @ts-expect-error a misspelt option
      void limiter.consume('a', { costs: 3 })
    }
    expectTypeOf(calls).toBeFunction()
  })
})

describe('an error', () => {
  it('B90: is known by its class or, across copies of the package, by its brand', () => {
    const codeOf = (error: unknown): RateLimitErrorCode | undefined =>
      error instanceof RateLimitError || isRateLimitError(error) ? error.code : undefined
    expectTypeOf(codeOf).returns.toEqualTypeOf<RateLimitErrorCode | undefined>()
    expectTypeOf(isRateLimitError).guards.toEqualTypeOf<RateLimitError>()
  })

  it('has a code out of a known few', () => {
    expectTypeOf<RateLimitErrorCode>().toEqualTypeOf<
      'RL_CONFIG' | 'RL_KEY' | 'RL_COST' | 'RL_STORE' | 'RL_DEADLINE'
    >()
  })
})
