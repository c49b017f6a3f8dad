import { describe, expect, it } from 'vitest'
import { Model, type ModelPolicy, type ModelResult } from './model.js'

const named = { name: 'any', limit: 5, windowMs: 1000 } as const
const kinds: readonly ModelPolicy[] = [
  { ...named, kind: 'fixed-window', align: 'epoch' },
  { ...named, kind: 'fixed-window', align: 'first-hit' },
  { ...named, kind: 'sliding-window' },
  { ...named, kind: 'sliding-log' },
  { ...named, kind: 'token-bucket', refill: 5 },
]

describe('what the oracle writes', () => {
  it.each(kinds)(
    'nothing for a cost of 0: what was charged is there when the clock goes back: $kind',
    (any) => {
      const model = new Model()
      model.consume('key', [any], [5], 100, 'ask')
      model.consume('key', [any], [0], 2600, 'ask')
      model.consume('key', [any], [0], 2600, 'force')
      expect(peek(model, any, 200).remaining).toBe(0)
    },
  )

  it.each(kinds)('the time, for a cost above 0: what was past then stays past: $kind', (any) => {
    const model = new Model()
    model.consume('key', [any], [5], 100, 'ask')
    model.consume('key', [any], [1], 2600, 'ask')
    expect(peek(model, any, 200).remaining).toBe(4)
  })

  it.each(kinds)('the time, also when a settle finds nothing to give back: $kind', (any) => {
    const model = new Model()
    model.consume('key', [any], [5], 100, 'ask')
    model.settle('key', [any], [5], [4], 100, 2600)
    expect(peek(model, any, 200).remaining).toBe(5)
  })

  it.each(kinds)('nothing for a settle of a key that it does not know: $kind', (any) => {
    const model = new Model()
    model.settle('key', [any], [5], [0], 100, 200)
    model.consume('key', [any], [1], 100, 'ask')
    expect(peek(model, any, 100).remaining).toBe(4)
  })
})

describe('the oracle and a log whose entry got all its weight back', () => {
  const log: ModelPolicy = { ...named, kind: 'sliding-log' }

  it('waits for the newest entry that still weighs something', () => {
    const model = new Model()
    model.consume('key', [log], [2], 0, 'ask')
    model.consume('key', [log], [3], 400, 'ask')
    model.settle('key', [log], [3], [0], 400, 500)
    expect(peek(model, log, 500)).toMatchObject({ remaining: 3, resetAfterMs: 500 })
  })

  it('waits for nothing without one', () => {
    const model = new Model()
    model.consume('key', [log], [3], 400, 'ask')
    model.settle('key', [log], [3], [0], 400, 500)
    expect(peek(model, log, 500)).toMatchObject({ remaining: 5, resetAfterMs: 0 })
  })

  it('finds nothing to repair when only such an entry was later', () => {
    const model = new Model()
    model.consume('key', [log], [1], 100, 'ask')
    model.consume('key', [log], [3], 400, 'ask')
    model.settle('key', [log], [3], [0], 400, 500)
    expect(model.consume('key', [log], [5], 200, 'ask').allowed).toBe(false)
    expect(peek(model, log, 1099).remaining).toBe(4)
    expect(peek(model, log, 1100).remaining).toBe(5)
  })
})

it.each(kinds)('the oracle lets nothing pass a limit of 0, ever: $kind', (any) => {
  const none = { ...any, limit: 0 }
  expect(new Model().consume('key', [none], [1], 0, 'ask')).toMatchObject({
    allowed: false,
    results: [{ remaining: 0, used: 0, resetAfterMs: 0, retryAfterMs: null, nextAfterMs: null }],
  })
})

function peek(model: Model, policy: ModelPolicy, now: number): ModelResult {
  const [result] = model.consume('key', [policy], [0], now, 'peek').results
  if (result === undefined) throw new RangeError('no result')
  return result
}
