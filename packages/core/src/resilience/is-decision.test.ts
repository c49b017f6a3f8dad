import { expect, it } from 'vitest'
import { isDecision } from './is-decision.js'

const policy = { limit: 2, remaining: 1, resetAfterMs: 0, retryAfterMs: 0 }
const counted = { ...policy, counted: true, allowed: true, policies: [policy] }

it.each<[string, unknown]>([
  ['undefined', undefined],
  ['null', null],
  ['a count', 0],
  ['true', true],
  ['no field', {}],
  ['allowed as text', { counted: false, allowed: 'yes' }],
  ['neither counted nor not', { allowed: true }],
  ['no policies', { ...counted, policies: undefined }],
  ['a remaining of -1', { ...counted, remaining: -1 }],
  ['a remaining of 1.5', { ...counted, remaining: 1.5 }],
  ['a remaining of "5"', { ...counted, remaining: '5' }],
  ['a remaining of NaN', { ...counted, remaining: Number.NaN }],
  ['a remaining of null', { ...counted, remaining: null }],
  ['a wait of NaN', { ...counted, retryAfterMs: Number.NaN }],
  ['a wait of -1', { ...counted, retryAfterMs: -1 }],
  ['NaN in a policy', { ...counted, policies: [{ ...policy, limit: Number.NaN }] }],
])('row 77: %s is no decision', (_, answer) => {
  expect(isDecision(answer as never)).toBe(false)
})

it.each<[string, unknown]>([
  ['with numbers', counted],
  ['with a count of 0', { ...counted, limit: 0, remaining: 0 }],
  ['a refusal for ever', { ...counted, allowed: false, retryAfterMs: null, resetAfterMs: null }],
  ['uncounted', { counted: false, allowed: true }],
])('a decision %s is one', (_, answer) => {
  expect(isDecision(answer as never)).toBe(true)
})
