import { createLimiter } from '@rl/core'
import { byApiKey, byCookie, byUser, createGuard, type GuardOptions } from '@rl/core/http'
import { redisStore } from '@rl/core/redis'
import { expect, it } from 'vitest'
import { fakeRequest } from '../support/fake-request.js'
import { keyPrefix } from '../support/keys.js'
import { useClient, useServer } from '../support/use-redis.js'

const server = useServer()
const client = useClient(server)
const known = (secret: string) => secret.includes('secret-123')
const request = fakeRequest({
  headers: {
    'x-api-key': 'secret-123',
    authorization: 'Bearer secret-123',
    cookie: 'sid=secret-123',
    'x-user': `secret-123${'x'.repeat(500)}`,
  },
})

/** What stands in Redis after one request by this key. */
async function keysOf(key: NonNullable<GuardOptions<unknown>['key']>): Promise<readonly string[]> {
  const prefix = keyPrefix()
  const store = redisStore({ client: client(), prefix, deadlineMs: 10_000 })
  const limiter = createLimiter({ name: 'l', limit: '5/1m', store })
  const guard = createGuard<unknown>({ limiter, key })
  for (const _call of [1, 2]) expect(await guard.check(request, {})).toMatchObject({ allowed: true })
  return (await server().command('KEYS', `${prefix}:*`)) as readonly string[]
}

it.each([
  ['an API key', byApiKey({ known })],
  ['a credential', byApiKey({ header: 'authorization', known, hashSecret: 'pepper' })],
  ['a cookie', byCookie('sid', { known })],
  ['a user whose id is long', byUser((_ctx, view) => view.header('x-user'))],
])('B11: of %s nothing can be read in Redis, and a client is one key', async (_, key) => {
  const keys = await keysOf(key)
  expect(keys).toHaveLength(1)
  expect(keys[0]).not.toContain('secret')
  expect(keys[0]?.length).toBeLessThan(120)
})
