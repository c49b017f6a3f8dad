import { describe, expect, it } from 'vitest'
import { thrown } from '../../../test/support/thrown.js'
import { createLimiter } from './limiter.js'
import type { LimiterOptions } from './limiter-types.js'
import { memoryStore } from './memory/memory-store.js'

describe('createLimiter refuses', () => {
  const broken = { consume: () => undefined, settle: () => undefined, reset: () => undefined }
  it.each<[string, unknown, string]>([
    ['no options', undefined, 'createLimiter: takes an object of options; got undefined'],
    ['a limit in place of options', '5/1m', 'createLimiter: takes an object of options; got "5/1m"'],
    [
      'B124: no limit',
      {},
      'limit: takes "100/1m" or a policy such as tokenBucket({ capacity: 20, per: "1s" }); got undefined',
    ],
    [
      'B124: NaN',
      { limit: Number.NaN },
      'limit: takes "100/1m" or a policy such as tokenBucket({ capacity: 20, per: "1s" }); got NaN',
    ],
    [
      'row 81: a number as text',
      { limit: '10' },
      'limit: takes "<limit>/<window>", such as "100/1m"; got "10"',
    ],
    [
      'row 84: windowMS',
      { limit: '5/1m', windowMS: 1 },
      'createLimiter: there is no option "windowMS". The window is part of the limit here: limit: "100/1m".',
    ],
    [
      'row 84: a misspelt option',
      { limt: '5/1m' },
      'createLimiter: there is no option "limt". Did you mean "limit"?',
    ],
    [
      'row 85: a name',
      { limit: '5/1m', name: 'a\nb' },
      String.raw`name: is 1 to 64 of A-Z a-z 0-9 space _ . : - and begins with a letter or digit; got "a\nb"`,
    ],
    [
      'a store without a method',
      { limit: '5/1m', store: broken },
      'store: has no close(); take memoryStore() or redisStore({ client }); got an object',
    ],
    [
      'null as a store',
      { limit: '5/1m', store: null },
      'store: has no consume(); take memoryStore() or redisStore({ client }); got null',
    ],
    [
      'a logger that can not warn',
      { limit: '5/1m', logger: {} },
      'logger: takes an object with warn(message) and error(message); got an object',
    ],
    [
      'the same beside a store',
      { limit: '5/1m', store: memoryStore(), logger: {} },
      'logger: takes an object with warn(message) and error(message); got an object',
    ],
  ])('%s', (_, options, message) => {
    expect(thrown(() => createLimiter(options as LimiterOptions))).toMatchObject({
      code: 'RL_CONFIG',
      message,
    })
  })
})
