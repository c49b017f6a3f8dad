import {
  type Counted,
  consumeAll,
  createLimiter,
  fixedWindow,
  type Policy,
  slidingLog,
  slidingWindow,
  tokenBucket,
} from '@rl/core'
import { redisStore } from '@rl/core/redis'
import { afterEach, describe, expect, it } from 'vitest'
import { useClient, useServer } from '../support/use-redis.js'

const server = useServer()
const client = useClient(server)
const window = '1h'

afterEach(() => server().command('FLUSHALL'))

const KINDS: readonly [string, Policy][] = [
  ['a fixed window', fixedWindow({ limit: 100, window })],
  ['a sliding window', slidingWindow({ limit: 100, window })],
  ['a token bucket', tokenBucket({ capacity: 100, per: window })],
  ['a sliding log', slidingLog({ limit: 100, window })],
]

const quote = (text: string): string => `'${text}'`
/** A row of a policy that nobody asks for. */
const row = (numbers: string): string => `cmsgpack.pack(${numbers})`

/** In Lua: what somebody else put at the key. */
const FOREIGN: readonly [string, string][] = [
  ['a word', quote('hello')],
  ['a word of as many letters as a row has numbers', quote('foobar')],
  ['a letter', quote('x')],
  ['nothing', quote('')],
  ['digits', quote('12345678')],
  ['JSON', quote('{"hits":3}')],
  ['a long text', `string.rep('x', 9000)`],
  ['a long text of whole rows', `string.rep('foobar', 2000)`],
  ['a packed list', row('{ 1, 2, 3 }')],
  ['a packed map without a key', 'string.char(0x81, 0xc0, 0x01)'],
  ['half of a row', row('1, now, 2')],
  ['a row that ends never', row('1, now, 2, 3, 4, 1 / 0')],
  ['a row that ends at no time', row('1, now, 2, 3, 4, 0 / 0')],
  ['a row that ends within a millisecond', row('1, now, 2, 3, 4, now + 5000.5')],
  ['a row that ends beyond all numbers', row('1, now, 2, 3, 4, 2 ^ 60')],
  ['a row that ends with a text', row(`1, now, 2, 3, 4, 'soon'`)],
  ['a row without an end', row('1, now, 2, 3, 4, nil')],
  ['a row that lacks a number', row('1, now, 2, nil, 4, now + 5000')],
  ['a row of a truth', row('1, true, 2, 3, 4, now + 5000')],
  ['a row of a list', row('1, now, { 2 }, 3, 4, now + 5000')],
  ['a row of a fraction', row('1, now, 2.5, 3, 4, now + 5000')],
  ['a row, and more', row('1, now, 2, 3, 4, now + 5000, 7')],
]

const put = (lua: string, key: string) =>
  server().command(
    'EVAL',
    `local now = redis.call('TIME')[1] * 1000\nredis.call('SET', KEYS[1], ${lua})\nreturn redis.sha1hex(${lua})`,
    '1',
    key,
  )
const hashOf = (key: string) =>
  server().command('EVAL', `return redis.sha1hex(redis.call('GET', KEYS[1]))`, '1', key)

describe.each(KINDS)('%s, where something else stands at its key', (_, limit) => {
  const setUp = async () => {
    const store = redisStore({ client: client(), deadlineMs: 10_000 })
    const of = (name: string) => createLimiter({ name, limit, store, onStoreFailure: 'closed' })
    await of('other').consume('warm')
    return { store, user: of('user'), org: of('org') }
  }

  it.each(FOREIGN)(
    '%s: the call fails and writes nothing, and other keys are decided',
    async (_what, lua) => {
      const { store, user } = await setUp()
      const hash = await put(lua, 'rl:user:{ann}')
      for (let i = 0; i < 7; i++) {
        expect(await user.consume('ann')).toMatchObject({ counted: false, allowed: false })
      }
      expect([await hashOf('rl:user:{ann}'), store.breaker]).toEqual([hash, 'closed'])
      expect(await user.consume('ben')).toMatchObject({ source: 'store', used: 1 })
    },
  )

  it.each(FOREIGN)('%s: no other key of the same decision is charged', async (_what, lua) => {
    const { user, org } = await setUp()
    const hash = await put(lua, 'rl:org:{acme}')
    for (const items of [
      [
        { limiter: user, key: 'ann' },
        { limiter: org, key: 'acme' },
      ],
      [
        { limiter: org, key: 'acme' },
        { limiter: user, key: 'ann' },
      ],
    ]) {
      expect(await consumeAll(items)).toMatchObject({ counted: false, allowed: false })
    }
    expect(await user.peek('ann')).toMatchObject({ source: 'store', used: 0 })
    expect(await hashOf('rl:org:{acme}')).toBe(hash)
  })

  it.each(FOREIGN)('%s: a settlement that failed of it is made by the next try', async (_what, lua) => {
    const { store, user } = await setUp()
    const { receipt } = (await user.consume('ann', { cost: 5 })) as Counted
    await server().command('RENAME', 'rl:user:{ann}', 'kept')
    await put(lua, 'rl:user:{ann}')
    if (receipt === null) throw new Error('there is no receipt')
    const settled = async () => store.settle?.(receipt, 2)
    await expect(settled()).rejects.toMatchObject({ code: 'RL_STORE' })
    await server().command('RENAME', 'kept', 'rl:user:{ann}')
    for (let i = 0; i < 2; i++) await settled()
    expect(await user.peek('ann')).toMatchObject({ source: 'store', used: 2 })
  })

  it.each(FOREIGN)('%s: it is left out of what is repaid, and nothing else is', async (_what, lua) => {
    const { store, user } = await setUp()
    const hash = await put(lua, 'rl:user:{ann}')
    const debts = ['ben', 'ann', 'carl'].map((key) => ({
      limiter: 'user',
      key,
      policies: user.policies,
      parts: [[{ agoMs: 1, cost: 3 }]],
    }))
    expect(await store.repay?.(debts, 'once')).toBe(1)
    expect(await hashOf('rl:user:{ann}')).toBe(hash)
    for (const key of ['ben', 'carl']) {
      expect(await user.peek(key)).toMatchObject({ source: 'store', used: 3 })
    }
  })
})

it('a settlement that failed of a list is made by the next try', async () => {
  const store = redisStore({ client: client(), deadlineMs: 10_000 })
  const limit = { window: fixedWindow({ limit: 100, window }), log: slidingLog({ limit: 100, window }) }
  const limiter = createLimiter({ name: 'l', limit, store, onStoreFailure: 'closed' })
  let decision = (await limiter.consume('ann')) as Counted
  const list = async () => ((await server().command('KEYS', 'rl:l:{ann}:*')) as string[])[0]
  while ((await list()) === undefined) decision = (await limiter.consume('ann')) as Counted
  const key = (await list()) as string
  await server().command('RENAME', key, 'kept')
  await server().command('SET', key, 'text')
  const { receipt, used } = decision
  if (receipt === null) throw new Error('there is no receipt')
  const settled = async () => store.settle?.(receipt, 0)
  await expect(settled()).rejects.toMatchObject({ code: 'RL_STORE' })
  await server().command('RENAME', 'kept', key)
  for (let i = 0; i < 2; i++) await settled()
  expect(((await limiter.peek('ann')) as Counted).policies.map((policy) => policy.used)).toEqual([
    used - 1,
    used - 1,
  ])
})

it('a row of ours may end later than any time that is exact', async () => {
  const store = redisStore({ client: client(), deadlineMs: 10_000 })
  const limit = {
    slow: tokenBucket({ capacity: 9_007_199_254, refill: 1, per: 1_000_000 }),
    other: fixedWindow({ limit: 2, window }),
  }
  const limiter = createLimiter({ name: 'l', limit, store, onStoreFailure: 'closed' })
  const used = async () => ((await limiter.peek('ann')) as Counted).policies.map((policy) => policy.used)
  await limiter.consume('ann', { cost: { slow: 9_007_199_254, other: 1 } })
  expect(await used()).toEqual([9_007_199_254, 1])
  const life = Number(await server().command('PTTL', 'rl:l:{ann}'))
  expect(life + Date.now()).toBeGreaterThan(Number.MAX_SAFE_INTEGER)
  await limiter.charge('ann', { cost: { slow: 0, other: 1 } })
  expect(await used()).toEqual([9_007_199_254, 2])
})
