import { describe, expect, it } from 'vitest'
import { thrown } from '../../../../test/support/thrown.js'
import { identityOf, toPolicies } from './limit.js'
import { fixedWindow, slidingLog, slidingWindow, tokenBucket } from './policy.js'

const log = slidingLog({ limit: 5, window: '1m' })
const bucket = tokenBucket({ capacity: 20, per: '1s' })
const namesOf = (limit: unknown) => toPolicies(limit).map(({ name, kind }) => [name, kind])

describe('a limit names its policies', () => {
  it.each([
    ['one, after its window', '100/1m', [['1m', 'sliding-window']]],
    ['one of a builder', log, [['1m', 'sliding-log']]],
    ['a window in its largest unit', '5/120s', [['2m', 'sliding-window']]],
    [
      'several, each after its window',
      [bucket, '1000/1d'],
      [
        ['1s', 'token-bucket'],
        ['1d', 'sliding-window'],
      ],
    ],
    [
      'the second of one window after its kind too',
      ['100/1m', log],
      [
        ['1m', 'sliding-window'],
        ['1m-sliding-log', 'sliding-log'],
      ],
    ],
    [
      'a record by its keys',
      { burst: bucket, daily: '1000/day' },
      [
        ['burst', 'token-bucket'],
        ['daily', 'sliding-window'],
      ],
    ],
    [
      'two of one kind and window by the keys of a record',
      { slow: '5/1m', fast: '9/1m' },
      [
        ['slow', 'sliding-window'],
        ['fast', 'sliding-window'],
      ],
    ],
  ])('%s', (_, limit, names) => {
    expect(namesOf(limit)).toEqual(names)
  })

  it('keeps the names of policies that have one', () => {
    const policies = toPolicies({ burst: bucket, daily: '1000/day' })
    expect(toPolicies(policies)).toEqual(policies)
    expect(toPolicies(policies[0])).toEqual([policies[0]])
  })

  it('in a frozen list of frozen policies', () => {
    const policies = toPolicies({ burst: bucket, daily: '1000/day' })
    expect(Object.isFrozen(policies)).toBe(true)
    expect(policies.every((policy) => Object.isFrozen(policy))).toBe(true)
  })

  it('leaves what was given as it was', () => {
    const limit = { burst: bucket }
    expect(toPolicies(limit)[0]).not.toBe(bucket)
    expect(limit).toEqual({
      burst: { kind: 'token-bucket', name: '', limit: 20, refill: 20, windowMs: 1000 },
    })
  })
})

describe('a limit is refused', () => {
  const epoch = fixedWindow({ limit: 5, window: '1m' })
  const firstHit = fixedWindow({ limit: 5, window: '1m', align: 'first-hit' })
  const advice = 'name them: { burst: …, daily: … }; got an array'
  const twins = `limit: has two policies of one kind over 1m; ${advice}`
  const named = (own: string) => `limit: has two policies with the name "${own}"; ${advice}`
  const name = 'is 1 to 64 of A-Z a-z 0-9 space _ . : - and begins with a letter or digit'
  it.each([
    ['without a policy', [], 'limit: takes 1 to 16 policies; got an array of 0'],
    ['without a policy', {}, 'limit: takes 1 to 16 policies; got an object'],
    ['a Map is no record', new Map([['a', '1/s']]), 'limit: takes 1 to 16 policies; got an object'],
    [
      'row 86: with 60 policies',
      Array.from({ length: 60 }, (_, i) => `5/${i + 1}s`),
      'limit: takes 1 to 16 policies; got an array of 60',
    ],
    ['row 44: two that nothing tells apart', ['5/1m', '9/1m'], `${twins} of 2`],
    ['two that would have one name', ['5/1m', epoch, firstHit], `${twins} of 3`],
    ['two fixed windows that only their start tells apart', [epoch, firstHit], `${twins} of 2`],
    ['two with one name', toPolicies({ a: log }).concat(toPolicies({ a: bucket })), `${named('a')} of 2`],
    ['row 85', { 'my "best"': '5/1m' }, String.raw`limit: policy name: ${name}; got "my \"best\""`],
    ['row 85', { límite: '5/1m' }, `limit: policy name: ${name}; got "límite"`],
    ['row 85', { '': '5/1m' }, `limit: policy name: ${name}; got ""`],
    ['row 39', JSON.parse('{"__proto__": "5/1m"}'), `limit: policy name: ${name}; got "__proto__"`],
    ['row 85', [{ ...log, name: 'a\nb' }], String.raw`limit: policy name: ${name}; got "a\nb"`],
    ['in a record', { daily: '5' }, 'limit.daily: takes "<limit>/<window>", such as "100/1m"; got "5"'],
    ['a list in a list', [['5/1m']], /^limit: takes "100\/1m" or a policy such as .*; got an array of 1$/],
    ['null in a list', [null], /^limit: takes "100\/1m" or a policy such as .*; got null$/],
  ])('%s: case %#', (_, limit, message) => {
    const expected = message instanceof RegExp ? expect.stringMatching(message) : message
    expect(thrown(() => toPolicies(limit))).toMatchObject({ code: 'RL_CONFIG', message: expected })
  })

  it('under the name of its option', () => {
    expect(thrown(() => toPolicies('5', 'onStoreFailure: local'))).toMatchObject({
      message: 'onStoreFailure: local: takes "<limit>/<window>", such as "100/1m"; got "5"',
    })
  })

  it('not with 16 policies', () => {
    expect(toPolicies(Array.from({ length: 16 }, (_, i) => `5/${i + 1}s`))).toHaveLength(16)
  })
})

describe('policies share a counter', () => {
  it.each([
    [
      'whatever the limit',
      slidingWindow({ limit: 5, window: '1m' }),
      slidingWindow({ limit: 9, window: '1m' }),
    ],
    ['whatever the refill', bucket, tokenBucket({ capacity: 9, refill: 2, per: 1000 })],
  ])('%s', (_, a, b) => {
    expect(identityOf(a)).toBe(identityOf(b))
  })

  it.each([
    ['of one window', log, slidingLog({ limit: 5, window: '2m' })],
    ['of one kind', log, slidingWindow({ limit: 5, window: '1m' })],
    ['of one name', log, { ...log, name: 'b' }],
    [
      'of one alignment',
      fixedWindow({ limit: 5, window: '1m' }),
      fixedWindow({ limit: 5, window: '1m', align: 'first-hit' }),
    ],
  ])('only %s', (_, a, b) => {
    expect(identityOf(a)).not.toBe(identityOf(b))
  })
})
