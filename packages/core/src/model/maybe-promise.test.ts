import { describe, expect, it } from 'vitest'
import { chain, isPromise } from './maybe-promise.js'

describe('isPromise', () => {
  // biome-ignore lint/suspicious/noThenProperty: a thenable is what is tested
  it.each([Promise.resolve(1), { then: () => undefined }])('is true for %o', (value) => {
    expect(isPromise<unknown>(value)).toBe(true)
  })

  // biome-ignore lint/suspicious/noThenProperty: no function, so no thenable
  it.each([1, null, undefined, 'then', {}, { then: 1 }, () => undefined])('is false for %o', (value) => {
    expect(isPromise<unknown>(value)).toBe(false)
  })
})

describe('chain', () => {
  it('goes on at once where the value is known', () => {
    expect(chain(2, (value) => value * 3)).toBe(6)
  })

  it('waits for a promise', async () => {
    await expect(chain(Promise.resolve(2), (value) => value * 3)).resolves.toBe(6)
  })

  it('passes a rejection on', async () => {
    const error = new Error('x')
    await expect(chain(Promise.reject(error), () => 1)).rejects.toBe(error)
  })
})
