import { parseDictionary, parseItem, parseList } from 'structured-headers'
import { describe, expect, it } from 'vitest'
import { policyResult, refusing } from '../../../../test/support/policy-result.js'
import { fieldWriter, type HeadersOption } from './headers.js'

const first = policyResult({ policy: 'default' })
const burst = policyResult({ policy: 'burst', limit: 10, windowMs: 1000 })
const daily = policyResult({ policy: 'daily', limit: 1000, windowMs: 86_400_000 })

describe('one policy, 100 a minute, one request used', () => {
  it.each<[HeadersOption, Record<string, string>]>([
    [
      'draft-6',
      {
        'RateLimit-Policy': '100;w=60',
        'RateLimit-Limit': '100',
        'RateLimit-Remaining': '99',
        'RateLimit-Reset': '60',
      },
    ],
    ['draft-7', { 'RateLimit-Policy': '100;w=60', RateLimit: 'limit=100, remaining=99, reset=60' }],
    ['draft-8', { 'RateLimit-Policy': '"default";q=100;w=60', RateLimit: '"default";r=99;t=60' }],
    ['draft-9', { 'RateLimit-Policy': '"default";q=100;w=60', RateLimit: '"default";r=99;t=60' }],
    ['draft-10', { 'RateLimit-Policy': '"default";q=100;w=60', RateLimit: '"default";r=99;t=60' }],
    ['draft-11', { 'RateLimit-Policy': '"default";q=100;w=60', RateLimit: '"default";r=99;t=60' }],
    [false, {}],
    [[], {}],
  ])('in the form %j', (form, fields) => {
    expect(Object.fromEntries(fieldWriter(form)([first]))).toEqual(fields)
  })
})

describe('policies that count something else than requests', () => {
  const requests = policyResult({ policy: 'requests', limit: 60, remaining: 59 })
  const tokens = policyResult({ policy: 'tokens', limit: 1000, remaining: 10, unit: 'tokens' })
  const bytes = policyResult({ policy: 'bw', limit: 1_048_576, remaining: 5, unit: 'content-bytes' })

  it('say so in draft-8 to draft-11, and nothing of requests', () => {
    const [policy, limit] = fieldWriter('draft-8')([requests, bytes, tokens])
    expect(policy).toEqual([
      'RateLimit-Policy',
      '"requests";q=60;w=60, "bw";q=1048576;qu="content-bytes";w=60, "tokens";q=1000;qu="tokens";w=60',
    ])
    expect(limit?.[1]).toContain('"bw";r=5;')
    expect(parseList(policy![1]).map(([, parameters]) => parameters.get('qu'))).toEqual([
      undefined,
      'content-bytes',
      'tokens',
    ])
  })

  it.each(['requests', 'a"b', 'x\r\nSet-Cookie: a', ''])(
    '%j of a store of somebody else’s is not said',
    (unit) => {
      expect(fieldWriter('draft-8')([{ ...requests, unit }])[0]?.[1]).toBe('"requests";q=60;w=60')
    },
  )

  it('fields without a unit tell of requests, for which everybody takes them', () => {
    expect(fieldWriter('legacy')([tokens, requests])).toMatchObject([
      ['X-RateLimit-Limit', '60'],
      ['X-RateLimit-Remaining', '59'],
      ['X-RateLimit-Reset', expect.any(String)],
    ])
    expect(Object.fromEntries(fieldWriter('draft-6')([tokens, requests]))).toMatchObject({
      'RateLimit-Policy': '1000;w=60, 60;w=60',
      'RateLimit-Remaining': '59',
    })
    expect(fieldWriter('draft-7')([tokens, requests])[1]?.[1]).toBe('limit=60, remaining=59, reset=60')
  })

  it('but for one that refuses, or where there is nothing else', () => {
    const refused = refusing({ policy: 'tokens', limit: 1000, remaining: 10, unit: 'tokens' })
    expect(fieldWriter('legacy')([requests, refused])[1]).toEqual(['X-RateLimit-Remaining', '10'])
    expect(fieldWriter('legacy')([bytes, tokens])[1]).toEqual(['X-RateLimit-Remaining', '5'])
  })
})

describe('two policies, a burst of 10 a second and 1000 a day', () => {
  it('draft-6 and draft-7 describe the one with the lowest remaining', () => {
    const results = [
      { ...burst, remaining: 3 },
      { ...daily, remaining: 412 },
    ]
    expect(fieldWriter('draft-6')(results)).toEqual([
      ['RateLimit-Policy', '10;w=1, 1000;w=86400'],
      ['RateLimit-Limit', '10'],
      ['RateLimit-Remaining', '3'],
      ['RateLimit-Reset', '1'],
    ])
    expect(fieldWriter('draft-7')(results)).toEqual([
      ['RateLimit-Policy', '10;w=1, 1000;w=86400'],
      ['RateLimit', 'limit=10, remaining=3, reset=1'],
    ])
  })

  it('draft-8 lists both, joined by their names', () => {
    expect(fieldWriter('draft-8')([burst, daily])).toEqual([
      ['RateLimit-Policy', '"burst";q=10;w=1, "daily";q=1000;w=86400'],
      ['RateLimit', '"burst";r=9;t=1, "daily";r=999;t=86400'],
    ])
  })

  it('draft-8 says of an exhausted one when it is of use again', () => {
    const exhausted = refusing({ policy: 'daily', limit: 1000, windowMs: 86_400_000, nextAfterMs: 16_001 })
    expect(fieldWriter('draft-8')([burst, exhausted])).toEqual([
      ['RateLimit-Policy', '"burst";q=10;w=1, "daily";q=1000;w=86400'],
      ['RateLimit', '"burst";r=9;t=1, "daily";r=0;t=17'],
    ])
  })

  it.each<[HeadersOption, Record<string, string>]>([
    ['draft-6', { 'RateLimit-Limit': '100', 'RateLimit-Remaining': '3', 'RateLimit-Reset': '31' }],
    ['draft-7', { RateLimit: 'limit=100, remaining=3, reset=31' }],
  ])('%s describes a refusing one, not a lower one that admits', (form, fields) => {
    const spent = policyResult({ limit: 10, remaining: 0, windowMs: 1000 })
    const refuses = refusing({ limit: 100, remaining: 3, nextAfterMs: 20, retryAfterMs: 30_001 })
    expect(Object.fromEntries(fieldWriter(form)([spent, refuses]))).toMatchObject(fields)
  })
})

describe('every value is what its draft calls it', () => {
  const write = (form: HeadersOption) => new Map(fieldWriter(form)([burst, daily]))

  it('draft-6: a list of integers and three integers', () => {
    const fields = write('draft-6')
    expect(parseList(fields.get('RateLimit-Policy')!)).toEqual([
      [10, new Map([['w', 1]])],
      [1000, new Map([['w', 86_400]])],
    ])
    expect(parseItem(fields.get('RateLimit-Limit')!)).toEqual([10, new Map()])
    expect(parseItem(fields.get('RateLimit-Remaining')!)).toEqual([9, new Map()])
    expect(parseItem(fields.get('RateLimit-Reset')!)).toEqual([1, new Map()])
  })

  it('draft-7: a dictionary of integers', () => {
    const dictionary = parseDictionary(write('draft-7').get('RateLimit')!)
    expect([...dictionary]).toEqual([
      ['limit', [10, new Map()]],
      ['remaining', [9, new Map()]],
      ['reset', [1, new Map()]],
    ])
  })

  it('draft-8: two lists of strings with integer parameters', () => {
    const fields = write('draft-8')
    expect(parseList(fields.get('RateLimit-Policy')!)[1]).toEqual([
      'daily',
      new Map([
        ['q', 1000],
        ['w', 86_400],
      ]),
    ])
    expect(parseList(fields.get('RateLimit')!)[1]).toEqual([
      'daily',
      new Map([
        ['r', 999],
        ['t', 86_400],
      ]),
    ])
  })
})
