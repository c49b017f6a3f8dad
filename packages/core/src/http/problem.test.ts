import { describe, expect, it } from 'vitest'
import { policyResult, refusing } from '../../../../test/support/policy-result.js'
import { type Decision, decisionOf, type PolicyResult } from '../model/decision.js'
import { refusalWriter } from './problem.js'

const refused = (policies: readonly PolicyResult[]): Decision => decisionOf(policies, 'store', null)
const closed: Decision = { counted: false, allowed: false, source: 'none', reason: 'closed' }

describe('a client over its limit reads', () => {
  it('problem details with the names of the policies that refuse', () => {
    const decision = refused([
      refusing({ policy: 'burst', nextAfterMs: 1500 }),
      policyResult({ policy: 'hourly' }),
      refusing({ policy: 'daily', nextAfterMs: 60_000 }),
    ])
    const { status, type, body } = refusalWriter()(decision, 'application/json')
    expect([status, type]).toEqual([429, 'application/problem+json'])
    expect(body).toBe(
      '{"type":"https://iana.org/assignments/http-problem-types#quota-exceeded","title":"Quota exceeded",' +
        '"status":429,"detail":"Try again in 60 seconds.","violated-policies":["burst","daily"]}',
    )
  })

  it('or a line of text', () => {
    expect(refusalWriter()(refused([refusing({ nextAfterMs: 5000 })]), 'text/plain')).toEqual({
      status: 429,
      type: 'text/plain; charset=utf-8',
      body: 'Quota exceeded. Try again in 5 seconds.\n',
    })
  })

  it('its own answer, not that of the client before', () => {
    const write = refusalWriter()
    const asked = [5000, 5000, 6000, 5000, null].flatMap((nextAfterMs) =>
      ['text/plain', undefined].flatMap((accept) =>
        ['burst', 'daily'].map((policy) => [refused([refusing({ policy, nextAfterMs })]), accept] as const),
      ),
    )
    expect(asked.map(([decision, accept]) => write(decision, accept))).toEqual(
      asked.map(([decision, accept]) => refusalWriter()(decision, accept)),
    )
  })

  it.each([
    [1, 'Try again in 1 second.'],
    [1000, 'Try again in 1 second.'],
    [1001, 'Try again in 2 seconds.'],
    [null, 'This request costs more than can ever be allowed at once.'],
  ])('the same wait as in Retry-After: %s ms', (nextAfterMs, detail) => {
    const { body } = refusalWriter()(refused([refusing({ nextAfterMs })]), undefined)
    expect(JSON.parse(body)).toMatchObject({ detail })
  })

  it('a policy of a limiter with a name under both names', () => {
    const { body } = refusalWriter()(refused([refusing({ limiter: 'login', policy: '1m' })]), undefined)
    expect(JSON.parse(body)).toMatchObject({ 'violated-policies': ['login:1m'] })
  })
})

describe('a client whom nobody could count reads', () => {
  it('503, that it is not its fault, and no number', () => {
    const { status, type, body } = refusalWriter()(closed, undefined)
    expect([status, type]).toEqual([503, 'application/problem+json'])
    expect(body).toBe(
      '{"type":"https://iana.org/assignments/http-problem-types#temporary-reduced-capacity",' +
        '"title":"Temporarily reduced capacity","status":503,' +
        '"detail":"Requests cannot be counted at the moment. Try again later."}',
    )
  })

  it('the same as text', () => {
    const { status, body } = refusalWriter()(closed, 'text/html')
    expect(status).toBe(503)
    expect(body).toBe(
      'Temporarily reduced capacity. Requests cannot be counted at the moment. Try again later.\n',
    )
  })
})

describe('JSON, unless text is preferred', () => {
  it.each<[string | undefined, 'json' | 'text']>([
    [undefined, 'json'],
    ['', 'json'],
    ['*/*', 'json'],
    ['application/json', 'json'],
    ['application/problem+json', 'json'],
    ['application/*', 'json'],
    ['text/plain', 'text'],
    ['text/html', 'text'],
    ['text/*', 'text'],
    ['Text/Plain', 'text'],
    ['TEXT/HTML;Q=0.5, application/json;Q=0.4', 'text'],
    ['text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8', 'text'],
    ['application/json, text/plain, */*', 'json'],
    ['text/plain, application/json', 'json'],
    ['text/plain;q=0.9, application/json;q=0.8', 'text'],
    ['text/plain;q=0.8, application/json;q=0.9', 'json'],
    ['text/html;q=0, */*', 'json'],
    ['text/plain;q=0, text/html;q=0.1', 'text'],
    ['text/plain, */*', 'json'],
    ['text/plain, */*;q=0.1', 'text'],
    ['text/*, application/json;q=0.5', 'text'],
    ['text/csv', 'json'],
    ['image/png', 'json'],
    ['text/plain;q=abc', 'json'],
    ['text/plain;q=2', 'json'],
    ['text/plain;q=-1', 'json'],
    ['text/plain;charset=utf-8;q=0.5, application/json;q=0.4', 'text'],
    [' text/plain ; q=1 ,application/json ; q=0.2', 'text'],
    [';;,,;q=', 'json'],
  ])('Accept: %s', (accept, form) => {
    const { type } = refusalWriter()(closed, accept)
    expect(type).toBe(form === 'text' ? 'text/plain; charset=utf-8' : 'application/problem+json')
  })

  it('a header of any length costs little', () => {
    expect(refusalWriter()(closed, 'text/plain;q=0.1,'.repeat(10_000)).type).toBe('text/plain; charset=utf-8')
  })
})
