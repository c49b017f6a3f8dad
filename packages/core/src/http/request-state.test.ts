import { describe, expect, it } from 'vitest'
import { policyResult, refusing } from '../../../../test/support/policy-result.js'
import { createLimiter } from '../limiter.js'
import { decisionOf, type PolicyResult } from '../model/decision.js'
import { type RateLimitResult, rateLimitOf, stateOf } from './request-state.js'

const [app, login] = [createLimiter({ limit: '100/1m' }), createLimiter({ limit: '5/1m', name: 'login' })]

const counted = (limiter: string, policies: readonly PolicyResult[]): RateLimitResult => ({
  ...decisionOf(policies, 'store', null),
  limiter,
  key: 'k',
})
const skipped: RateLimitResult = {
  ...{ counted: false, allowed: true, source: 'none', reason: 'skipped', limiter: 'login' },
  key: undefined,
}

describe('rateLimitOf', () => {
  it('knows nothing of a request that no limiter has seen', () => {
    expect(rateLimitOf({})).toBeUndefined()
  })

  it('gives the tightest result, in whichever order they came', () => {
    const [loose, tight] = [
      counted('default', [policyResult({ remaining: 50 })]),
      counted('login', [policyResult({ remaining: 2 })]),
    ]
    for (const order of [
      [loose, tight],
      [tight, loose],
    ]) {
      const request = {}
      for (const result of order) stateOf({ carrier: request }).add({ by: app, result, told: true })
      expect(rateLimitOf(request)).toBe(tight)
    }
  })

  it('gives the result that refuses before any that allows', () => {
    const request = {}
    const refused = counted('default', [refusing({ remaining: 50, limit: 60 })])
    stateOf({ carrier: request }).add({ by: app, result: refused, told: true })
    stateOf({ carrier: request }).add({
      by: login,
      result: counted('login', [policyResult({ remaining: 0 })]),
      told: true,
    })
    expect(rateLimitOf(request)).toBe(refused)
  })

  it('gives the result of the limiter that is named, or nothing', () => {
    const request = {}
    const result = counted('login', [policyResult()])
    stateOf({ carrier: request }).add({ by: app, result: counted('default', [refusing()]), told: true })
    stateOf({ carrier: request }).add({ by: login, result, told: true })
    expect(rateLimitOf(request, 'login')).toBe(result)
    expect(rateLimitOf(request, 'search')).toBeUndefined()
  })

  it('prefers what was counted to what was skipped', () => {
    const request = {}
    const result = counted('default', [policyResult()])
    stateOf({ carrier: request }).add({ by: app, result, told: true })
    stateOf({ carrier: request }).add({ by: login, result: skipped, told: true })
    expect(rateLimitOf(request)).toBe(result)
    expect(rateLimitOf(request, 'login')).toBe(skipped)
  })
})

describe('what clients are told', () => {
  it('adds up over limiters, without those that keep their numbers to themselves and those that did not count', () => {
    const state = stateOf({ carrier: {} })
    const [first, second, secret] = [policyResult(), policyResult({ limit: 7 }), policyResult({ limit: 3 })]
    state.add({ by: app, result: counted('default', [first]), told: true })
    state.add({ by: login, result: counted('login', [secret]), told: false })
    state.add({ by: login, result: skipped, told: true })
    state.add({ by: login, result: counted('login', [second]), told: true })
    expect(state.told).toEqual([first, second])
  })
})

describe('the state of a request', () => {
  it('hangs on the request, out of sight, so that every copy of this package finds it', () => {
    const request = {}
    const state = stateOf({ carrier: request })
    expect(stateOf({ carrier: request })).toBe(state)
    expect(Reflect.get(request, Symbol.for('@rl/core.request'))).toBe(state)
    expect(JSON.stringify(request)).toBe('{}')
  })

  it('remembers a decision by limiter and key', () => {
    const state = stateOf({ carrier: {} })
    const result = counted('default', [policyResult()])
    state.add({ by: app, result, told: true })
    expect(state.earlier(app, 'k')).toBe(result)
    expect(state.earlier(app, 'other')).toBeUndefined()
    expect(state.earlier(login, 'k')).toBeUndefined()
  })
})
