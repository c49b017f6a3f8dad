import { describe, expect, it } from 'vitest'
import { thrown } from '../../../../test/support/thrown.js'
import { fixedWindow, tokenBucket } from './policy.js'
import { checkOptions, didYouMean } from './suggest.js'

const known = ['limit', 'name', 'store', 'onStoreFailure', 'headers', 'key', 'skip']
const messageFor = (name: string) => thrown(() => checkOptions('rateLimit', { [name]: 1 }, known))
const inPlaceOf = (name: string) => ({
  code: 'RL_CONFIG',
  message: expect.stringMatching(`^rateLimit: there is no option "${name}"`),
})

describe('checkOptions', () => {
  it.each([{}, { limit: 1 }, { limit: undefined, skip: 1 }])('lets %o pass', (given) => {
    expect(() => checkOptions('rateLimit', given, known)).not.toThrow()
  })

  it.each([
    [undefined, 'undefined'],
    [null, 'null'],
    ['100/1m', '"100/1m"'],
    [['100/1m'], 'an array of 1'],
    [() => 1, 'a function'],
  ])('refuses %o in place of options', (given, seen) => {
    expect(thrown(() => checkOptions('rateLimit', given, known))).toMatchObject({
      code: 'RL_CONFIG',
      message: `rateLimit: takes an object of options; got ${seen}`,
    })
  })

  it.each([
    ['limt', 'Did you mean "limit"?'],
    ['Limit', 'Did you mean "limit"?'],
    ['header', 'Did you mean "headers"?'],
    ['onStoreFaliure', 'Did you mean "onStoreFailure"?'],
    ['colour', 'It takes limit, name, store, onStoreFailure, headers, key, skip.'],
  ])('answers %s with a suggestion', (name, advice) => {
    expect(messageFor(name)).toMatchObject({
      code: 'RL_CONFIG',
      message: `rateLimit: there is no option "${name}". ${advice}`,
    })
  })

  const inLimit = 'The window is part of the limit here: limit: "100/1m".'
  it.each([
    ['windowMs', inLimit],
    ['windowMS', inLimit],
    ['timeWindow', inLimit],
    ['duration', inLimit],
    ['max', 'Use limit: "100/1m".'],
    ['points', 'Use limit: "100/1m".'],
    ['keyGenerator', 'Use key.'],
    ['keyPrefix', 'Use name, or prefix of the Redis store.'],
    ['handler', 'Use onLimited.'],
    ['standardHeaders', 'Use headers: "draft-8".'],
    ['legacyHeaders', 'Use headers: ["draft-8", "legacy"].'],
    ['skipOnError', 'Use onStoreFailure.'],
    ['passOnStoreError', 'Use onStoreFailure.'],
    ['allowList', 'Use allow.'],
    ['denyList', 'Use deny.'],
  ])('row 84: answers %s, as peers call it, with ours', (name, advice) => {
    expect(messageFor(name)).toMatchObject({
      message: `rateLimit: there is no option "${name}". ${advice}`,
    })
  })

  it.each(['constructor', 'toString', 'hasOwnProperty'])('an inherited name is no peer: %s', (name) => {
    const message = `rateLimit: there is no option "${name}". It takes ${known.join(', ')}.`
    expect(messageFor(name)).toMatchObject({ message })
  })

  it('row 39: __proto__ as an own name is unknown like any other', () => {
    const given = JSON.parse('{"__proto__": 1}')
    expect(thrown(() => checkOptions('rateLimit', given, known))).toMatchObject(inPlaceOf('__proto__'))
  })

  it('cuts a long name and shows it on one line', () => {
    expect(messageFor(`a\n${'x'.repeat(1000)}`)).toMatchObject({
      message: `rateLimit: there is no option "a\\n${'x'.repeat(38)}". It takes ${known.join(', ')}.`,
    })
  })
})

describe('a builder speaks of its own options', () => {
  it.each([
    ['windowMs', 'Did you mean "window"?'],
    ['windowMS', 'Did you mean "window"?'],
    ['duration', 'It takes limit, window, align, unit.'],
    ['max', 'It takes limit, window, align, unit.'],
  ])('row 84: fixedWindow answers %s', (name, advice) => {
    const options = { limit: 1, window: '1m', [name]: 1 }
    expect(thrown(() => fixedWindow(options))).toMatchObject({
      message: `fixedWindow: there is no option "${name}". ${advice}`,
    })
  })

  it('tokenBucket answers limit', () => {
    const options = { capacity: 1, per: '1s', limit: 1 }
    expect(thrown(() => tokenBucket(options))).toMatchObject({
      message: 'tokenBucket: there is no option "limit". It takes capacity, refill, per, unit.',
    })
  })
})

describe('didYouMean', () => {
  it.each([
    ['minuets', ['minutes', 'm'], 'minutes'],
    ['dya', ['day', 'd'], 'day'],
    ['M', ['m', 'ms'], 'm'],
    ['STORE', ['store'], 'store'],
    ['stroe', ['store', 'score'], 'store'],
  ])('%s is near %o: %s', (word, names, near) => {
    expect(didYouMean(word, names)).toBe(` Did you mean "${near}"?`)
  })

  it.each([
    ['w', ['s', 'm', 'h', 'd', 'ms']],
    ['mo', ['ms', 'm']],
    ['fortnight', ['minute', 'hour']],
    ['x'.repeat(100_000), ['store']],
    ['limit', []],
  ])('nothing is near: case %#', (word, names) => {
    expect(didYouMean(word, names)).toBeUndefined()
  })
})
