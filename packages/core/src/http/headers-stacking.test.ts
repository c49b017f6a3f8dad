import { parseList } from 'structured-headers'
import { describe, expect, it } from 'vitest'
import { policyResult, refusing } from '../../../../test/support/policy-result.js'
import { fieldWriter } from './headers.js'

const draft8 = fieldWriter('draft-8')

describe('limiters stacked on one request', () => {
  it('draft-8 lists the policies of all, behind the name of a limiter that has one', () => {
    const fields = draft8([
      policyResult({ limit: 20 }),
      policyResult({ limiter: 'login', policy: 'burst', limit: 5, windowMs: 1000 }),
      policyResult({ limiter: 'login', policy: 'daily', limit: 50, windowMs: 86_400_000 }),
    ])
    expect(fields).toEqual([
      ['RateLimit-Policy', '"1m";q=20;w=60, "login:burst";q=5;w=1, "login:daily";q=50;w=86400'],
      ['RateLimit', '"1m";r=19;t=60, "login:burst";r=4;t=1, "login:daily";r=49;t=86400'],
    ])
  })

  it('draft-8 gives every policy a name of its own, also when limiters without a name collide', () => {
    const fields = draft8([
      policyResult({ limit: 20 }),
      policyResult({ limit: 2 }),
      policyResult({ limit: 7 }),
    ])
    expect(fields).toEqual([
      ['RateLimit-Policy', '"1m";q=20;w=60, "1m-2";q=2;w=60, "1m-3";q=7;w=60'],
      ['RateLimit', '"1m";r=19;t=60, "1m-2";r=1;t=60, "1m-3";r=6;t=60'],
    ])
  })

  it('B109: the fields with room for one limit show the one closest to refusal', () => {
    const [app, route] = [policyResult({ limit: 20 }), policyResult({ limit: 2 })]
    expect(fieldWriter('draft-7')([app, route])[1]).toEqual(['RateLimit', 'limit=2, remaining=1, reset=60'])
    expect(fieldWriter('draft-7')([route, app])[1]).toEqual(['RateLimit', 'limit=2, remaining=1, reset=60'])
  })

  it('drafts 6 and 7 may not name one quota twice, so the second is left out', () => {
    const results = [policyResult({ limit: 10, windowMs: 1000 }), policyResult({ limit: 10 })]
    expect(fieldWriter('draft-6')(results)[0]).toEqual(['RateLimit-Policy', '10;w=1'])
  })
})

describe('5.2 row 86: the fields stay under a bound', () => {
  const sixty = Array.from({ length: 60 }, (_, i) => policyResult({ policy: `p${i}`, limit: 1000 - i }))

  it('of sixty policies the sixteen with the least left are told, in their order', () => {
    const [policies, standings] = draft8(sixty).map(([, value]) => parseList(value).map(([name]) => name))
    const closest = [
      ...['p44', 'p45', 'p46', 'p47', 'p48', 'p49', 'p50', 'p51'],
      ...['p52', 'p53', 'p54', 'p55', 'p56', 'p57', 'p58', 'p59'],
    ]
    expect(policies).toEqual(closest)
    expect(standings).toEqual(closest)
  })

  it('sixteen are told whole', () => {
    expect(parseList(draft8(sixty.slice(0, 16))[0]![1])).toHaveLength(16)
  })

  it('drafts 6 and 7 keep the same bound', () => {
    expect(parseList(fieldWriter('draft-6')(sixty)[0]![1])).toHaveLength(16)
  })

  it('one that refuses is told before any that admits with less left', () => {
    const refuses = refusing({ policy: 'costly', limit: 5000, remaining: 2000, retryAfterMs: 1000 })
    expect(draft8([refuses, ...sixty])[0]![1]).toContain('"costly";q=5000;w=60')
  })

  it('a policy keeps its name when others are left out', () => {
    const unnamed = Array.from({ length: 17 }, (_, i) => policyResult({ limit: 1000 - i }))
    expect(draft8(unnamed)[1]![1]).toMatch(/^"1m-2";r=998;t=60, "1m-3";r=997;t=60, /)
  })
})
