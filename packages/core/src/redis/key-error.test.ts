import { expect, it } from 'vitest'
import { RateLimitError } from '../model/errors.js'
import { isOfOneKey } from './key-error.js'

const WRONG_TYPE = 'WRONGTYPE Operation against a key holding the wrong kind of value'

it.each<[string, boolean]>([
  [`${WRONG_TYPE} script: 000c00, on @user_script:2.`, true],
  [`ERR Error running script (call to f_000c00): @user_script:9: ${WRONG_TYPE}`, true],
  ['ERR user_script:2: Missing bytes in input. script: e26fce, on @user_script:2.', true],
  ['ERR user_script:2: Bad data format in input. script: e26fce, on @user_script:2.', true],
  [
    'ERR user_script:40: the key holds no counts: delete it, or give the store another prefix script: 0c, on @user_script:40.',
    true,
  ],
  ['ERR table index is nil script: c184a4, on @user_script:2.', true],
  [
    'ERR user_script:1: stack overflow (too many return values at once; use unpack_one instead) script: 0c',
    true,
  ],
  ['ERR user_script:2: attempt to compare string with number script: c184a4, on @user_script:2.', true],
  [
    'ERR Error running script (call to f_c184a4): @user_script:9: user_script:9: attempt to index a nil',
    true,
  ],
  ["OOM command not allowed when used memory > 'maxmemory'. script: a66a95, on @user_script:2.", false],
  ["READONLY You can't write against a read only replica.", false],
  ['LOADING Redis is loading the dataset in memory', false],
  ['BUSY Redis is busy running a script. You can only call SCRIPT KILL or SHUTDOWN NOSAVE.', false],
  ['CLUSTERDOWN The cluster is down', false],
  ['NOSCRIPT No matching script. Please use EVAL.', false],
  ['Connection is closed.', false],
])('%s: speaks of one key: %s', (message, isOf) => {
  const cause = new Error(message)
  expect(
    isOfOneKey(new RateLimitError('RL_STORE', `store: Redis could not decide: ${message}`, { cause })),
  ).toBe(isOf)
})

it.each([
  undefined,
  null,
  'WRONGTYPE ',
  new Error(WRONG_TYPE),
  new RateLimitError('RL_DEADLINE', 'no answer'),
])('what is no reply of a server is none: %s', (error) => {
  expect(isOfOneKey(error)).toBe(false)
})
