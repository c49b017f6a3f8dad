import { expect, it } from 'vitest'
import { smallest } from './search.js'

const THRESHOLDS = [1, 2, 3, 4, 5, 1000, 1024, 1025, 2 ** 52, 2 ** 52 + 1, Number.MAX_SAFE_INTEGER]
const OTHERS = [undefined, null, Number.NaN, -1, 0, 1.5, 2 ** 53]

it.each(THRESHOLDS)('finds the smallest number that holds, whatever is claimed: %d', (threshold) => {
  for (const claim of [...THRESHOLDS, ...OTHERS, threshold - 1, threshold + 1]) {
    expect(smallest((candidate) => candidate >= threshold, claim)).toBe(threshold)
  }
})

it('says so when nothing holds', () => {
  expect(() => smallest(() => false)).toThrow('nothing holds below 2^53')
})
