import { expect, it } from 'vitest'
import { FAULTS } from './faults/index.js'
import { broken, sourceOf } from './tree-copy.js'

it('every fault of the list changes one place of the source as it is now', () => {
  for (const fault of FAULTS) expect(() => broken(sourceOf(fault.file), fault), fault.file).not.toThrow()
})

it('no two faults are the same, and none changes nothing', () => {
  const keys = FAULTS.map(({ file, from, to }) => JSON.stringify([file, from, to]))
  expect(new Set(keys).size).toBe(FAULTS.length)
  expect(FAULTS.filter(({ from, to }) => from === to)).toEqual([])
})

it('a text that stands nowhere, or twice, is an error', () => {
  expect(() => broken('a < b', { from: '<=', to: '<' })).toThrow('stands there 0 times, not once: <=')
  expect(() => broken('a < b < c', { from: '<', to: '<=' })).toThrow('stands there 2 times, not once: <')
})
