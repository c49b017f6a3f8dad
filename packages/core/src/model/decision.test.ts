import { describe, expect, it } from 'vitest'
import { policyResult, refusing } from '../../../../test/support/policy-result.js'
import { decidingOf, decisionOf, type PolicyResult } from './decision.js'

const open = (remaining: number, cost = 1): Partial<PolicyResult> => ({ remaining, cost })
const shut = (retryAfterMs: number | null): Partial<PolicyResult> => ({
  allowed: false,
  remaining: 0,
  retryAfterMs,
})

describe('the deciding policy', () => {
  it.each([
    ['is the only one', [open(5)], 0],
    ['has the fewest further calls', [open(9), open(5), open(7)], 1],
    ['counts calls of its own cost', [open(9, 1), open(50, 10), open(60, 10)], 1],
    [
      'counts whole calls: 19 / 10 is as tight as 1 / 1, and the first on ties decides',
      [open(1, 1), open(19, 10)],
      0,
    ],
    ['counts whole calls: 9 / 10 is tighter than 1 / 1', [open(1, 1), open(9, 10)], 1],
    ['counts a cost of 0 as 1', [open(5, 0), open(4, 1)], 1],
    ['counts a cost of 0 as 1', [open(4, 0), open(5, 1)], 0],
    ['counts whole calls: 1 / 1 is as tight as 19 / 10', [open(19, 10), open(1, 1)], 0],
    ['refuses, whatever else is tight', [open(0), shut(10), open(0)], 1],
    ['refuses, though more is left of it', [{ ...shut(10), remaining: 5 }, open(0)], 0],
    ['has the longest wait', [shut(10), shut(30), shut(20)], 1],
    ['never passes, above the longest wait', [shut(1e15), shut(null), shut(5)], 1],
    ['is the first on ties', [shut(10), shut(10)], 0],
    ['is the first of those that never pass', [shut(5), shut(null), shut(null)], 1],
  ])('%s', (_, standings, deciding) => {
    const results = standings.map((standing) => policyResult(standing))
    expect(decidingOf(results)).toBe(results[deciding])
  })
})

describe('decisionOf', () => {
  it('speaks with the numbers of the deciding policy and lists them all', () => {
    const loose = policyResult({ policy: '1d', limit: 1000, remaining: 900 })
    const tight = policyResult({ policy: '1m', limit: 10, remaining: 3, cost: 2, resetAfterMs: 42_000 })
    const receipt = { store: 'memory-1', id: 1, at: 0, charges: [] }
    expect(decisionOf([loose, tight], 'store', receipt)).toEqual({
      counted: true,
      allowed: true,
      source: 'store',
      reason: 'ok',
      policy: '1m',
      cost: 2,
      limit: 10,
      remaining: 3,
      used: 7,
      resetAfterMs: 42_000,
      retryAfterMs: 0,
      policies: [loose, tight],
      receipt,
    })
  })

  it('B112: a refusal names the policy that refused, with its own limit and wait', () => {
    const burst = policyResult({ policy: 'burst', limit: 20, remaining: 20, cost: 0 })
    const daily = refusing({ policy: 'daily', limit: 1000, retryAfterMs: 86_400 })
    expect(decisionOf([burst, daily], 'store', null)).toMatchObject({
      allowed: false,
      policy: 'daily',
      limit: 1000,
      remaining: 0,
      retryAfterMs: 86_400,
      reason: 'limit',
      receipt: null,
    })
  })

  it.each([
    ['ok', policyResult()],
    ['limit', refusing({ retryAfterMs: 1 })],
    ['never', refusing({ retryAfterMs: null })],
  ])('gives the reason %s', (reason, result) => {
    expect(decisionOf([result], 'local', null)).toMatchObject({ reason, source: 'local' })
  })
})
