import { describe, expect, it } from 'vitest'
import type { Charge } from '../model/charge.js'
import { type Limit, toPolicies } from '../model/limit.js'
import { fixedWindow, slidingLog, slidingWindow, tokenBucket } from '../model/policy.js'
import { SCRIPTS } from './scripts.gen.js'
import { askArguments, keysOf, scriptFor, settleCall } from './wire.js'

const SPAN = { notBefore: 100, notAfter: 150 }

function charge(limit: Limit, costs: Charge['costs'] = 1, key = 'k'): Charge {
  return { limiter: 'l', key, policies: toPolicies(limit), costs }
}

const KINDS = {
  'fixed-window': fixedWindow({ limit: 9, window: '1m' }),
  'sliding-window': slidingWindow({ limit: 9, window: '1m' }),
  'sliding-log': slidingLog({ limit: 9, window: '1m' }),
  'token-bucket': tokenBucket({ capacity: 9, refill: 3, per: '1m' }),
}
const { 'sliding-log': log, ...counters } = KINDS

describe('the script', () => {
  it.each(Object.entries(KINDS))('of a single policy is the one of its kind: %s', (kind, limit) => {
    expect(scriptFor([charge(limit)])).toBe(SCRIPTS[kind as keyof typeof KINDS])
  })

  it('of several policies without a log is the one for counters', () => {
    expect(scriptFor([charge(counters)])).toBe(SCRIPTS.counters)
    expect(scriptFor([charge('9/1m'), charge('9/1m', 1, 'j')])).toBe(SCRIPTS.counters)
  })

  it('with a log among them is the one for all', () => {
    expect(scriptFor([charge(KINDS)])).toBe(SCRIPTS.all)
    expect(scriptFor([charge('9/1m'), charge(log, 1, 'j')])).toBe(SCRIPTS.all)
  })
})

describe('arguments', () => {
  // A tag is stored with the counts: another one, and every count of every user begins afresh.
  it.each([
    ['a fixed window', KINDS['fixed-window'], ['2596583627', '9', '60000', 'epoch']],
    [
      'a window from the first hit',
      fixedWindow({ limit: 9, window: '1m', align: 'first-hit' }),
      ['1692999812', '9', '60000', 'first-hit'],
    ],
    ['a sliding window', KINDS['sliding-window'], ['2994819866', '9', '60000']],
    ['a log', KINDS['sliding-log'], ['3307368280', '9', '60000']],
    ['a bucket', KINDS['token-bucket'], ['1366762003', '9', '60000', '3']],
  ])('of %s', (_, limit, policy) => {
    expect(askArguments([charge(limit, 2)], 'ask', SPAN)).toEqual(['0', '100', '150', '2', ...policy])
  })

  it('of several policies name the group, the subject, and each kind', () => {
    const list = askArguments([charge({ a: '9/1m', b: '8/1h' }, { a: 0, b: 2 })], 'peek', SPAN)
    expect(list.slice(0, 6)).toEqual(['1', '1', '100', '150', '1', '2'])
    expect(list.slice(6)).toEqual([
      ...['sliding-window', expect.any(String), '9', '60000', '0', '0'],
      ...['sliding-window', expect.any(String), '8', '3600000', '0', '2'],
    ])
  })

  it('of a settlement are the differences to what was charged', () => {
    const { keys, argumentsFor } = settleCall(
      'v',
      charge({ a: '9/1m', b: log }, { a: 3, b: 5 }),
      { id: 'x-1', at: 77 },
      4,
    )
    expect(keys).toEqual(['v', 'v:settled:x-1', expect.stringMatching(/^v:\d+$/)])
    const list = argumentsFor(SPAN)
    expect(list.slice(0, 5)).toEqual(['77', '100', '150', '120000', '2'])
    expect([list[10], list[16]]).toEqual(['1', '-1'])
  })
})

describe('a tag', () => {
  const tagOf = (limit: Limit) => askArguments([charge(limit)], 'ask', SPAN)[4]

  it('does not depend on the limit, nor on the refill', () => {
    expect(tagOf('5/1m')).toBe(tagOf('500/1m'))
    expect(tagOf(tokenBucket({ capacity: 5, refill: 1, per: '1m' }))).toBe(tagOf(KINDS['token-bucket']))
  })

  it('depends on the name, the kind, the alignment and the window', () => {
    const limits: readonly Limit[] = [
      ...Object.values(KINDS),
      fixedWindow({ limit: 9, window: '1m', align: 'first-hit' }),
      '9/2m',
      { other: '9/1m' },
    ]
    expect(new Set(limits.map(tagOf)).size).toBe(limits.length)
  })
})

describe('the keys of a subject', () => {
  it('are its value, and a list for each log, with the tag of its policy', () => {
    const [value, ...lists] = keysOf(
      'v',
      toPolicies({ a: '9/1m', b: log, c: slidingLog({ limit: 5, window: '1h' }) }),
    )
    expect(value).toBe('v')
    expect(new Set(lists).size).toBe(2)
    expect(lists).toEqual([expect.stringMatching(/^v:\d+$/), expect.stringMatching(/^v:\d+$/)])
  })
})
