import { describe, expect, it } from 'vitest'
import { fakeRequest } from '../../../../test/support/fake-request.js'
import { createGuard } from './guard.js'
import type { GuardOptions } from './guard-options.js'

const FUNCTIONS = ['enabled', 'skip', 'key', 'limit', 'cost'] as const

const guardWith = (name: (typeof FUNCTIONS)[number], value: () => unknown) =>
  createGuard<unknown>({ limit: '10/1m', [name]: value } as GuardOptions<unknown>)

describe('an error of the function reaches the adapter as it is', () => {
  const error = new Error('of the application')

  it.each(FUNCTIONS)('%s throws', (name) => {
    const guard = guardWith(name, () => {
      throw error
    })
    expect(() => guard.check(fakeRequest(), {})).toThrow(error)
  })

  it.each(FUNCTIONS)('%s rejects', async (name) => {
    const guard = guardWith(name, () => Promise.reject(error))
    await expect(guard.check(fakeRequest(), {})).rejects.toBe(error)
  })
})

describe('a function that fails with what is no error has failed all the same', () => {
  const expected = (reason: string) => `rateLimit: a function among its options failed with ${reason}`

  it.each([
    [undefined, 'undefined'],
    [null, 'null'],
    [0, '0'],
    ['route', '"route"'],
  ])('%o', async (reason, shown) => {
    const [throwing, rejecting] = [
      guardWith('key', () => {
        throw reason
      }),
      guardWith('key', () => Promise.reject(reason)),
    ]
    expect(() => throwing.check(fakeRequest(), {})).toThrow(expected(shown))
    await expect(rejecting.check(fakeRequest(), {})).rejects.toThrow(expected(shown))
  })
})
