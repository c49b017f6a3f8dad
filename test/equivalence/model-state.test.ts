import { describe, expect, it } from 'vitest'
import { Model, type ModelPolicy } from './model.js'

const fixed: ModelPolicy = { kind: 'fixed-window', name: 'fixed', limit: 5, windowMs: 1000, align: 'epoch' }
const firstHit: ModelPolicy = {
  kind: 'fixed-window',
  name: 'first',
  limit: 5,
  windowMs: 1000,
  align: 'first-hit',
}
const sliding: ModelPolicy = { kind: 'sliding-window', name: 'sliding', limit: 5, windowMs: 1000 }
const log: ModelPolicy = { kind: 'sliding-log', name: 'log', limit: 5, windowMs: 1000 }
const bucket: ModelPolicy = { kind: 'token-bucket', name: 'bucket', limit: 5, refill: 5, windowMs: 1000 }

describe('the oracle and several policies', () => {
  it('charges all of them or none, and speaks for the longest wait', () => {
    const model = new Model()
    model.consume('key', [log], [5], 400, 'ask')
    const refused = model.consume('key', [fixed, log, sliding], [1, 1, 6], 500, 'ask')
    expect(refused).toMatchObject({ allowed: false, deciding: 2 })
    expect(refused.results.map(({ retryAfterMs }) => retryAfterMs)).toEqual([0, 900, null])
    expect(refused.results.map(({ remaining }) => remaining)).toEqual([5, 0, 5])
  })

  it('speaks for the policy with the fewest calls left, the first on ties', () => {
    const model = new Model()
    const decision = model.consume('key', [fixed, log, sliding], [1, 2, 2], 0, 'ask')
    expect(decision).toMatchObject({ allowed: true, deciding: 1 })
  })

  it('does not ask a policy with cost 0', () => {
    const model = new Model()
    model.consume('key', [log], [5], 0, 'ask')
    const decision = model.consume('key', [log, fixed], [0, 1], 0, 'ask')
    expect(decision).toMatchObject({ allowed: true, deciding: 0 })
  })
})

describe('the oracle when the clock goes back', () => {
  it('keeps the count of a fixed window', () => {
    expect(usedAfterStepBack(fixed)).toMatchObject({ remaining: 1, resetAfterMs: 500 })
    expect(usedAfterStepBack(firstHit)).toMatchObject({ remaining: 1, resetAfterMs: 1000 })
  })

  it('counts both windows of a sliding window as the current one', () => {
    const model = new Model()
    model.consume('key', [sliding], [2], 1900, 'ask')
    model.consume('key', [sliding], [2], 2900, 'ask')
    expect(model.consume('key', [sliding], [0], 500, 'ask').results[0]).toMatchObject({
      remaining: 1,
      resetAfterMs: 1500,
    })
  })

  it('counts later entries of a log as made now', () => {
    expect(usedAfterStepBack(log)).toMatchObject({ remaining: 1, resetAfterMs: 1000 })
  })

  it('writes the repair on a refusal and not on a peek', () => {
    const left = (['peek', 'ask'] as const).map((mode) => {
      const model = new Model()
      model.consume('key', [log], [4], 5000, 'ask')
      model.consume('key', [log], [2], 1000, mode)
      return model.consume('key', [log], [1], 2000, 'peek').results[0]?.remaining
    })
    expect(left).toEqual([1, 5])
  })
})

describe('the oracle settles', () => {
  it('what a call used beyond its charge as a debt', () => {
    const debts = [fixed, firstHit, sliding, log, bucket].map((policy) => {
      const model = new Model()
      model.consume('key', [policy], [5], 0, 'ask')
      model.settle('key', [policy], [5], [7], 0, 0)
      return model.consume('key', [policy], [1], 0, 'ask').results[0]?.retryAfterMs
    })
    expect(debts).toEqual([1000, 1000, 1429, 1000, 600])
  })

  it('what a call left unused, into its own window only', () => {
    const remaining = [fixed, firstHit, sliding, log, bucket].map((policy) => [
      remainingAfterRefund(policy, 700, 900),
      remainingAfterRefund(policy, 700, 1100),
      remainingAfterRefund(policy, 700, 1800),
    ])
    expect(remaining).toEqual([
      [4, 5, 5],
      [4, 4, 5],
      [4, 4, 4],
      [4, 4, 5],
      [5, 5, 5],
    ])
  })

  it('nothing into a bucket that has been full since', () => {
    const model = new Model()
    model.consume('key', [bucket], [1], 0, 'ask')
    model.consume('key', [bucket], [3], 250, 'ask')
    model.settle('key', [bucket], [1], [0], 0, 250)
    expect(model.consume('key', [bucket], [0], 250, 'peek').results[0]).toMatchObject({ remaining: 2 })
    model.settle('key', [bucket], [3], [1], 250, 250)
    expect(model.consume('key', [bucket], [0], 250, 'peek').results[0]).toMatchObject({ remaining: 4 })
  })
})

describe('the oracle and changed policies', () => {
  it('keeps counts under a new limit and starts afresh under a new window', () => {
    const model = new Model()
    model.consume('key', [sliding], [5], 0, 'ask')
    const [raised, wider] = [
      { ...sliding, limit: 7 },
      { ...sliding, windowMs: 2000 },
    ]
    expect(model.consume('key', [raised], [0], 0, 'peek').results[0]).toMatchObject({ remaining: 2 })
    expect(model.consume('key', [wider], [0], 0, 'peek').results[0]).toMatchObject({ remaining: 5 })
  })
})

function usedAfterStepBack(policy: ModelPolicy): unknown {
  const model = new Model()
  model.consume('key', [policy], [4], 5200, 'ask')
  return model.consume('key', [policy], [0], 500, 'ask').results[0]
}

/** Charges 2 at `at`, gives 1 back at `now`, and tells what is left then. */
function remainingAfterRefund(policy: ModelPolicy, at: number, now: number): number | undefined {
  const model = new Model()
  model.consume('key', [policy], [2], at, 'ask')
  model.settle('key', [policy], [2], [1], at, now)
  return model.consume('key', [policy], [0], now, 'peek').results[0]?.remaining
}
