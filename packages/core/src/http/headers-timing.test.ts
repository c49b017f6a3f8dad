import { afterEach, describe, expect, it, vi } from 'vitest'
import { policyResult, refusing } from '../../../../test/support/policy-result.js'
import type { Decision, PolicyResult } from '../model/decision.js'
import { fieldWriter, retryAfter } from './headers.js'

type Given = Partial<PolicyResult>

const seconds = (form: 'draft-6' | 'draft-8', given: Given) => {
  const result = given.allowed === false ? refusing(given) : policyResult(given)
  const fields = new Map(fieldWriter(form)([result]))
  return form === 'draft-6' ? fields.get('RateLimit-Reset') : fields.get('RateLimit')
}

describe('t is the time in which no more than r may be used', () => {
  it.each<[string, Given, string]>([
    ['fixed window, used up', { remaining: 0, nextAfterMs: 12_345 }, '"1m";r=0;t=13'],
    ['fixed window, in part', { remaining: 40, nextAfterMs: 12_345 }, '"1m";r=40;t=13'],
    ['sliding window, used up', { kind: 'sliding-window', remaining: 0, nextAfterMs: 600 }, '"1m";r=0;t=1'],
    ['sliding window, half', { kind: 'sliding-window', remaining: 50, nextAfterMs: 600 }, '"1m";r=50;t=30'],
    [
      'sliding window, a long wait',
      { kind: 'sliding-window', remaining: 1, nextAfterMs: 5001 },
      '"1m";r=1;t=6',
    ],
    ['sliding log, used up', { kind: 'sliding-log', remaining: 0, nextAfterMs: 59_000 }, '"1m";r=0;t=59'],
    ['sliding log, nearly', { kind: 'sliding-log', remaining: 2, nextAfterMs: 59_000 }, '"1m";r=2;t=59'],
    ['bucket, empty', { kind: 'token-bucket', remaining: 0, nextAfterMs: 600 }, '"1m";r=0;t=1'],
    ['bucket, 99 of 100', { kind: 'token-bucket', remaining: 99, nextAfterMs: 600 }, '"1m";r=99;t=60'],
    ['bucket, full', { kind: 'token-bucket', remaining: 100, nextAfterMs: 0 }, '"1m";r=100;t=60'],
    ['a whole window at hand', { remaining: 100, nextAfterMs: 0 }, '"1m";r=100;t=60'],
  ])('%s', (_, given, value) => {
    expect(seconds('draft-8', given)).toBe(value)
  })

  it('limit 0 gives nothing at any time, so it has no t', () => {
    expect(seconds('draft-8', { allowed: false, limit: 0, nextAfterMs: null })).toBe('"1m";r=0')
  })

  it('draft-6 cannot leave the time out, so limit 0 resets with its window', () => {
    expect(seconds('draft-6', { allowed: false, limit: 0, nextAfterMs: null })).toBe('60')
  })

  it('a refused cost waits until it fits, and t never says longer than Retry-After', () => {
    const given = {
      kind: 'token-bucket',
      allowed: false,
      remaining: 50,
      nextAfterMs: 600,
      retryAfterMs: 1200,
    } as const
    expect(seconds('draft-8', given)).toBe('"1m";r=50;t=2')
  })
})

describe('windows become whole seconds, rounded up', () => {
  it.each([
    [1, '"1m";q=100;w=1'],
    [999, '"1m";q=100;w=1'],
    [1000, '"1m";q=100;w=1'],
    [1001, '"1m";q=100;w=2'],
    [90_000, '"1m";q=100;w=90'],
    [31_536_000_000, '"1m";q=100;w=31536000'],
  ])('%d ms', (windowMs, value) => {
    expect(new Map(fieldWriter('draft-8')([policyResult({ windowMs })])).get('RateLimit-Policy')).toBe(value)
  })

  it('a bucket without room has no window, and w is left out, for 0 is not allowed', () => {
    const result = refusing({ kind: 'token-bucket', limit: 0, windowMs: 0, nextAfterMs: null })
    expect(fieldWriter('draft-8')([result])).toEqual([
      ['RateLimit-Policy', '"1m";q=0'],
      ['RateLimit', '"1m";r=0'],
    ])
  })
})

describe('Retry-After', () => {
  const refused = (retryAfterMs: number | null): Decision => ({
    ...policyResult(),
    counted: true,
    allowed: false,
    source: 'store',
    reason: retryAfterMs === null ? 'never' : 'limit',
    retryAfterMs,
    policies: [],
    receipt: null,
  })

  it.each([
    ['B39: the rest of the window, not the whole of it', 5000, '5'],
    ['B40: 1500 ms are rounded up', 1500, '2'],
    ['B40: 1 ms is a second', 1, '1'],
    ['no wait at all is still a second', 0, '1'],
    ['B43: a minute is 60, not 60000', 60_000, '60'],
    ['59,001 ms are a minute', 59_001, '60'],
    ['a year', 31_536_000_000, '31536000'],
  ])('%s', (_, retryAfterMs, value) => {
    expect(retryAfter(refused(retryAfterMs))).toEqual([['Retry-After', value]])
  })

  it('B116: there is none when waiting does not help', () => {
    expect(retryAfter(refused(null))).toEqual([])
  })

  it('there is none when nobody counted, for nobody knows', () => {
    expect(retryAfter({ counted: false, allowed: false, source: 'none', reason: 'closed' })).toEqual([])
  })
})

describe('the legacy reset', () => {
  afterEach(() => vi.useRealTimers())

  it('B44: is a moment in epoch seconds, rounded up', () => {
    vi.useFakeTimers({ now: 1_700_000_000_123, toFake: ['Date'] })
    expect(fieldWriter('legacy')([refusing({ nextAfterMs: 29_900 })])).toEqual([
      ['X-RateLimit-Limit', '100'],
      ['X-RateLimit-Remaining', '0'],
      ['X-RateLimit-Reset', '1700000031'],
    ])
  })
})
