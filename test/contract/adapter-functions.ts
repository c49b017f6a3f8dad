import { createLimiter, type Policy } from '@rl/core'
import type { FromRequest } from '@rl/core/http'
import { describe, expect, it } from 'vitest'
import { send } from '../support/http-client.js'
import { limitFields } from './adapter-answers.js'
import { limitAtNoon, perMinute, storeAtNoon } from './at-noon.js'
import type { Mount, Serve } from './served.js'

/** A function that gives the value at once, and one that gives it later. */
const ways: readonly [string, (value: unknown) => () => unknown][] = [
  ['at once', (value) => () => value],
  ['later', (value) => () => Promise.resolve(value)],
]

export function describeFunctions(serve: Serve): void {
  /** Status and result of one request against 10 a minute, with one option given as a function. */
  async function ask(option: keyof Mount, value: () => unknown) {
    const { target, results, errors } = await serve({
      app: [{ ...limitAtNoon(10), [option]: value } as Mount],
    })
    const answer = await send(target, '/ok')
    return { answer, result: results[0], errors }
  }

  describe.each(ways)('a function that gives %s', (_, giving) => {
    it.each<[keyof Mount, unknown, object]>([
      ['key', 'user-1', { key: 'user-1', remaining: 9 }],
      ['key', 7, { key: 7 }],
      ['limit', '3/1m', { limit: 3, remaining: 2 }],
      ['limit', { burst: '2/1s', daily: '50/1d' }, { policy: 'burst', remaining: 1 }],
      ['cost', 4, { cost: 4, remaining: 6 }],
      ['skip', false, { remaining: 9 }],
      ['enabled', true, { remaining: 9 }],
    ])('%s: %o', async (option, value, expected) => {
      const { answer, result } = await ask(option, giving(value))
      expect(answer.status).toBe(200)
      expect(result).toMatchObject(expected)
    })

    it('skip: true lets the request pass uncounted and without fields', async () => {
      const { answer, result } = await ask('skip', giving(true))
      expect(answer.status).toBe(200)
      expect(limitFields(answer)).toEqual({})
      expect(result).toMatchObject({ counted: false, reason: 'skipped' })
    })

    it('B131: enabled: false lets it pass as if there were no limiter', async () => {
      const { answer, result } = await ask('enabled', giving(false))
      expect(answer.status).toBe(200)
      expect(limitFields(answer)).toEqual({})
      expect(result).toBeUndefined()
    })

    it('B123: limit: 0 a minute refuses everything', async () => {
      const { answer } = await ask('limit', giving('0/1m'))
      expect(answer.status).toBe(429)
      expect(answer.fields.ratelimit).toBe('"1m";r=0')
    })

    it.each<[string, keyof Mount, string, readonly unknown[]]>([
      ['row 34', 'key', 'RL_KEY', [undefined, null, '', 0.5, Number.NaN, {}, ['a'], Symbol('s'), true]],
      ['row 82', 'limit', 'RL_CONFIG', [undefined, Number.NaN, -1, '-1/1m', 10, {}]],
      ['row 82', 'cost', 'RL_COST', [undefined, Number.NaN, -1, 0.5, '1']],
      ['row 83', 'cost', 'RL_COST', [Number('-100'), Number('abc')]],
      ['options', 'skip', 'RL_CONFIG', [undefined, 1, 'no']],
      ['options', 'enabled', 'RL_CONFIG', [undefined, 0, 'no']],
    ])(
      '%s: what is no %s is an error of the application (%s), never a free pass',
      async (_row, option, code, values) => {
        for (const value of values) {
          const { answer, errors } = await ask(option, giving(value))
          expect([answer.status, errors]).toMatchObject([500, [{ code }]])
        }
      },
    )
  })

  describe('a function that fails', () => {
    it.each<[keyof Mount]>([['key'], ['limit'], ['cost'], ['skip'], ['enabled']])(
      '%s: its error comes to the application as it is, thrown or rejected',
      async (option) => {
        const error = new Error('of the function')
        const thrown = await ask(option, () => {
          throw error
        })
        const rejected = await ask(option, () => Promise.reject(error))
        expect([thrown.answer.status, rejected.answer.status]).toEqual([500, 500])
        expect([thrown.errors, rejected.errors]).toEqual([[error], [error]])
      },
    )
  })

  it.each([[undefined], [null], [false], [0], [''], ['route'], ['router'], [Symbol('s')]])(
    'a function that fails with %o, which is no error, has failed all the same',
    async (reason) => {
      const thrown = await ask('key', () => {
        throw reason
      })
      const rejected = await ask('key', () => Promise.reject(reason))
      expect([thrown.answer.status, rejected.answer.status]).toEqual([500, 500])
      expect([thrown.result, rejected.result]).toEqual([undefined, undefined])
    },
  )

  it('row 83: a cost from a header that is above the limit is refused and charges nothing', async () => {
    const limiter = createLimiter(limitAtNoon(10))
    const cost: FromRequest<unknown, number> = (_ctx, view) => Number(view.header('x-cost'))
    const { target } = await serve({ app: [{ limiter, cost }] })
    expect((await send(target, '/ok', { headers: { 'x-cost': '1e9' } })).status).toBe(429)
    expect(limiter.peek('127.0.0.1')).toMatchObject({ used: 0 })
  })

  it('B128: a limit that changes keeps what was counted', async () => {
    const limit: FromRequest<unknown, Policy> = (_ctx, view) => perMinute(Number(view.header('x-limit')))
    const { target, results } = await serve({ app: [{ limit, store: storeAtNoon() }] })
    const answers = []
    for (const now of ['100', '10', '1'])
      answers.push(await send(target, '/ok', { headers: { 'x-limit': now } }))
    expect(results).toMatchObject([{ remaining: 99 }, { limit: 10, remaining: 8 }])
    expect(answers[2]).toMatchObject({
      status: 429,
      fields: { ratelimit: '"1m";r=0;t=60', 'retry-after': '60' },
    })
  })

  it('B101: each user has a limit of its own, behind one address', async () => {
    const key: FromRequest<unknown, string | undefined> = (_ctx, view) => view.header('x-user')
    const { target } = await serve({ app: [{ ...limitAtNoon(1), key }] })
    const statuses = []
    for (const user of ['u1', 'u2', 'u1', 'u2'])
      statuses.push((await send(target, '/ok', { headers: { 'x-user': user } })).status)
    expect(statuses).toEqual([200, 200, 429, 429])
  })
}
