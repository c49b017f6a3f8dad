import { describe, expect, it } from 'vitest'
import { thrown } from '../../../../test/support/thrown.js'
import { actualOf, type Charge, checkActual, checkCosts, costOf } from './charge.js'
import { toPolicies } from './limit.js'

const policies = toPolicies({ requests: '500/1m', tokens: '100000/1m' })
const [requests, tokens] = policies

describe('a cost', () => {
  it.each([
    ['is a number for every policy', 3, [3, 3]],
    ['may be 0, which asks nothing', 0, [0, 0]],
    ['may be -0, which is 0', JSON.parse('-0'), [0, 0]],
    ['may be more than any limit', Number.MAX_SAFE_INTEGER, [9_007_199_254_740_991, 9_007_199_254_740_991]],
    ['is one by policy name', { requests: 1, tokens: 4711 }, [1, 4711]],
    ['may leave a policy out with 0', { tokens: 0, requests: 1 }, [1, 0]],
  ])('%s', (_, cost, each) => {
    const costs = checkCosts(cost, policies)
    expect(policies.map((policy) => costOf(costs, policy))).toEqual(each)
  })

  it('keeps its numbers when the record that it came in changes', () => {
    const record = { requests: 1, tokens: 5 }
    const costs = checkCosts(record, policies)
    record.tokens = 7
    expect(costs).toEqual({ requests: 1, tokens: 5 })
  })

  it('is read once, so that a getter gives what was checked', () => {
    const answers = [5, -5]
    const record = {
      requests: 1,
      get tokens() {
        return answers.shift()
      },
    }
    expect(checkCosts(record, policies)).toEqual({ requests: 1, tokens: 5 })
  })

  it.each([
    ['row 83: -100', -100, 'must be a whole number of at least 0; got -100'],
    ['row 83: abc', 'abc', 'takes a number or a record by policy name; got "abc"'],
    ['row 82: NaN', Number.NaN, 'must be a whole number of at least 0; got NaN'],
    ['row 82: a string', '5', 'takes a number or a record by policy name; got "5"'],
    ['row 82: a promise', Promise.resolve(1), 'has no number for policy "requests"; 0 leaves it out'],
    ['a fraction', 0.5, 'must be a whole number of at least 0; got 0.5'],
    ['infinity', Number.POSITIVE_INFINITY, 'must be a whole number of at least 0; got Infinity'],
    ['above 2^53', 2 ** 53, 'must be a whole number of at least 0; got 9007199254740992'],
    ['a bigint', 5n, 'takes a number or a record by policy name; got 5n'],
    ['null', null, 'takes a number or a record by policy name; got null'],
    ['a list', [1, 2], 'takes a number or a record by policy name; got an array of 2'],
    ['a record without one of them', { requests: 1 }, 'has no number for policy "tokens"; 0 leaves it out'],
    [
      'an inherited number',
      Object.create({ requests: 1, tokens: 1 }),
      'has no number for policy "requests"; 0 leaves it out',
    ],
    [
      'another name',
      { requests: 1, tokens: 1, bytes: 1 },
      'there is no policy "bytes"; there is requests, tokens',
    ],
  ])('is refused: %s', (_, cost, message) => {
    expect(thrown(() => checkCosts(cost, policies))).toMatchObject({
      code: 'RL_COST',
      message: `cost: ${message}`,
    })
  })

  it.each([
    ['row 83: -1', -1, '-1'],
    ['row 82: NaN', Number.NaN, 'NaN'],
    ['undefined', undefined, 'undefined'],
    ['text', '5', '"5"'],
  ])('is refused in a record, by name: %s', (_, cost, seen) => {
    expect(thrown(() => checkCosts({ requests: 1, tokens: cost }, policies))).toMatchObject({
      code: 'RL_COST',
      message: `cost.tokens: must be a whole number of at least 0; got ${seen}`,
    })
  })

  it('of a record is found by the policy’s name', () => {
    expect([requests, tokens].map((policy) => policy && costOf({ tokens: 2, requests: 1 }, policy))).toEqual([
      1, 2,
    ])
  })
})

describe('what a charge really cost', () => {
  const charge: Charge = { limiter: 'llm', key: 'a', policies, costs: { requests: 1, tokens: 800 } }
  const each = (actual: unknown) => {
    const checked = checkActual(actual, policies)
    return policies.map((policy) => actualOf(checked, charge, policy))
  }

  it.each([
    ['is one number for each policy', 2, [2, 2]],
    ['is a number by name', { requests: 0, tokens: 300 }, [0, 300]],
    ['is what was charged, for a policy that is not named', { tokens: 300 }, [1, 300]],
    ['is what was charged, where none is named', {}, [1, 800]],
  ])('%s', (_, actual, numbers) => {
    expect(each(actual)).toEqual(numbers)
  })

  it('keeps its numbers when the record that it came in changes', () => {
    const record = { tokens: 300 }
    const actual = checkActual(record, policies)
    record.tokens = 0
    expect(actual).toEqual({ tokens: 300 })
  })

  it.each([
    ['row 83: -1', -1, 'cost: must be a whole number of at least 0; got -1'],
    ['row 83: -1 by name', { tokens: -1 }, 'cost.tokens: must be a whole number of at least 0; got -1'],
    ['NaN by name', { tokens: Number.NaN }, 'cost.tokens: must be a whole number of at least 0; got NaN'],
    [
      'undefined by name',
      { tokens: undefined },
      'cost.tokens: must be a whole number of at least 0; got undefined',
    ],
    ['another name', { bytes: 1 }, 'cost: there is no policy "bytes"; there is requests, tokens'],
    [
      'row 39: __proto__',
      JSON.parse('{"__proto__": 1}'),
      'cost: there is no policy "__proto__"; there is requests, tokens',
    ],
    ['a list', [1], 'cost: takes a number or a record by policy name; got an array of 1'],
    ['null', null, 'cost: takes a number or a record by policy name; got null'],
  ])('is refused: %s', (_, actual, message) => {
    expect(thrown(() => checkActual(actual, policies))).toMatchObject({ code: 'RL_COST', message })
  })
})
