import { expect, it } from 'vitest'
import { RateLimitError } from '../model/errors.js'
import { kindOf } from './error-kind.js'
import { DOWN, NO_DECISION, NOT_ASKED } from './store-error.js'

function failed(cause: unknown): RateLimitError {
  return new RateLimitError('RL_STORE', 'store: Redis could not decide', { cause })
}

it.each<[string, string, RateLimitError]>([
  ['deadline', 'no answer in time', new RateLimitError('RL_DEADLINE', 'store: no answer')],
  ['down', 'an open breaker', DOWN],
  ['down', 'a store that was not asked', NOT_ASKED],
  ['reply', 'an answer that is no decision', NO_DECISION],
  ['reply', 'a reply that is none', failed(new Error('the reply has no status'))],
  ['reply', 'an error of ioredis', failed(Object.assign(new Error('OOM command'), { name: 'ReplyError' }))],
  ['reply', 'an error of node-redis', failed(new Error('BUSY Redis is busy running a script.'))],
  ['connection', 'a system error', failed(Object.assign(new Error('connect'), { code: 'ECONNREFUSED' }))],
  ['connection', 'an unknown name', failed(Object.assign(new Error('lookup'), { code: 'EAI_AGAIN' }))],
  ['connection', 'ioredis that is gone', failed(new Error('Connection is closed.'))],
  ['connection', 'ioredis that lost it', failed(new Error('Reached the max retries per request limit (0)'))],
  [
    'connection',
    'ioredis without one',
    failed(new Error("Stream isn't writeable and enableOfflineQueue options is false")),
  ],
  ['connection', 'node-redis without one', failed(new Error('The client is closed'))],
  ['other', 'an error of a store of somebody else', failed(new Error('no such table'))],
  ['other', 'something thrown that is no error', failed('a key: ann@example.org')],
  ['other', 'nothing', failed(undefined)],
])('is "%s" for %s', (kind, _, error) => {
  expect(kindOf(error)).toBe(kind)
})
