import { describe, expect, it } from 'vitest'
import type { Charge } from '../model/charge.js'
import { type Limit, toPolicies } from '../model/limit.js'
import { fixedWindow, slidingLog, slidingWindow, tokenBucket } from '../model/policy.js'
import { SCRIPTS } from './scripts.gen.js'
import { decisionQuestion, keysOf, repayQuestion, scriptFor, settleCall } from './wire.js'

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

/** What a question says but for its span. */
function asked(question: string): readonly unknown[] {
  const [until, span, ...rest] = JSON.parse(question)
  expect([until, span]).toEqual([150, 50])
  return rest
}

describe('a question', () => {
  // A tag is stored with the counts: another one, and every count of every user begins afresh.
  it.each<[string, Limit, ...unknown[]]>([
    ['a fixed window', KINDS['fixed-window'], 2596583627, 9, 60000],
    [
      'a window from the first hit',
      fixedWindow({ limit: 9, window: '1m', align: 'first-hit' }),
      ...[1692999812, 9, 60000, 'first-hit'],
    ],
    ['a sliding window', KINDS['sliding-window'], 2994819866, 9, 60000],
    ['a log', KINDS['sliding-log'], 3307368280, 9, 60000],
    ['a bucket', KINDS['token-bucket'], 1366762003, 9, 60000, 3],
  ])('of %s', (_, limit, ...policy) => {
    const list = decisionQuestion([charge(limit, 2)], 'ask', SPAN)
    expect(asked(list)).toEqual([2, ...policy])
    const [extra = 0] = policy.slice(3)
    expect(asked(decisionQuestion([charge(limit, 2)], 'force', SPAN))).toEqual([
      2,
      ...policy.slice(0, 3),
      extra,
      2,
    ])
  })

  it('of several policies name each kind', () => {
    const list = decisionQuestion(
      [charge({ a: '9/1m', b: '8/1h' }, { a: 0, b: 2 }), charge('7/1s')],
      'peek',
      SPAN,
    )
    const tag = expect.any(Number)
    expect(asked(list)).toEqual([
      1,
      [
        [
          ['sliding-window', tag, 9, 60000, 0, 0],
          ['sliding-window', tag, 8, 3600000, 0, 2],
        ],
        [['sliding-window', tag, 7, 1000, 0, 1]],
      ],
    ])
  })

  it('of a settlement are the differences to what was charged', () => {
    const policies = { a: '9/1m', b: log }
    const { keys, questionFor } = settleCall('v', charge(policies, { a: 3, b: 5 }), { id: 'x-1', at: 77 }, 4)
    expect(keys).toEqual(['v', 'v:settled:x-1', expect.stringMatching(/^v:\d+$/)])
    const tag = expect.any(Number)
    expect(asked(questionFor(SPAN))).toEqual([
      77,
      120000,
      [
        ['sliding-window', tag, 9, 60000, 0, 1],
        ['sliding-log', tag, 9, 60000, 0, -1],
      ],
    ])
  })

  it('of a repayment are when, and how much', () => {
    const debt = {
      limiter: 'l',
      key: 'k',
      policies: toPolicies('9/1m'),
      parts: [
        [
          { agoMs: 30, cost: 2 },
          { agoMs: 5, cost: 1 },
        ],
      ],
    }
    const list = repayQuestion([debt], SPAN, (agoMs) => 120 - agoMs)
    const tag = expect.any(Number)
    const parts = [
      [90, 2],
      [115, 1],
    ]
    expect(asked(list)).toEqual([600000, [[['sliding-window', tag, 9, 60000, 0, parts]]]])
  })
})

describe('a tag', () => {
  const tagOf = (limit: Limit) => asked(decisionQuestion([charge(limit)], 'ask', SPAN))[1]

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
