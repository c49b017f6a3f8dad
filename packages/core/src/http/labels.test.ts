import { expect, it } from 'vitest'
import { policyResult } from '../../../../test/support/policy-result.js'
import { labelsOf } from './labels.js'

const named = (...names: readonly (readonly [limiter: string, policy: string])[]) =>
  labelsOf(names.map(([limiter, policy]) => policyResult({ limiter, policy })))

it('a policy is called by its name alone where its limiter has none', () => {
  expect(named(['default', '1m'], ['default', 'daily'])).toEqual(['1m', 'daily'])
})

it('a policy stands behind the name of its limiter', () => {
  expect(named(['login', '1m'], ['login', '1d'], ['search', '1m'])).toEqual([
    'login:1m',
    'login:1d',
    'search:1m',
  ])
})

it('of limiters that say the same, later ones get a number', () => {
  expect(named(['default', '1m'], ['default', '1m'], ['default', '1m'])).toEqual(['1m', '1m-2', '1m-3'])
})

it('a number that is taken as a name is passed over', () => {
  expect(named(['default', '1m'], ['default', '1m-2'], ['default', '1m'])).toEqual(['1m', '1m-2', '1m-3'])
  expect(named(['a', 'b:c'], ['a:b', 'c'])).toEqual(['a:b:c', 'a:b:c-2'])
})
