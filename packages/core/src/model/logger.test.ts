import { describe, expect, it } from 'vitest'
import { thrown } from '../../../../test/support/thrown.js'
import { type Logger, toLogger } from './logger.js'

describe('toLogger', () => {
  it('is the console by default', () => {
    expect(toLogger(undefined)).toBe(console)
  })

  it('takes what has warn and error', () => {
    const logger = { warn: () => undefined, error: () => undefined }
    expect(toLogger(logger)).toBe(logger)
  })

  it.each([
    [null, 'null'],
    [{}, 'an object'],
    [{ warn: () => undefined }, 'an object'],
    [{ error: () => undefined }, 'an object'],
    [() => undefined, 'a function'],
  ])('refuses %o', (logger, seen) => {
    expect(thrown(() => toLogger(logger as Logger))).toMatchObject({
      code: 'RL_CONFIG',
      message: `logger: takes an object with warn(message) and error(message); got ${seen}`,
    })
  })
})
