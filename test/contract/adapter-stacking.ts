import { createLimiter, fixedWindow } from '@rl/core'
import { describe, expect, it } from 'vitest'
import { send } from '../support/http-client.js'
import { limitFields } from './adapter-answers.js'
import { limitAtNoon, perMinute, storeAtNoon } from './at-noon.js'
import type { Serve } from './served.js'

export function describeStacking(serve: Serve): void {
  describe('limiters stacked on one request', () => {
    it('add up in the fields, and the tightest is the result', async () => {
      const { target, results } = await serve({ app: [limitAtNoon(20)], router: [limitAtNoon(5)] })
      const answer = await send(target, '/api/ok')
      expect(limitFields(answer)).toEqual({
        'ratelimit-policy': '"1m";q=20;w=60, "1m-2";q=5;w=60',
        ratelimit: '"1m";r=19;t=60, "1m-2";r=4;t=60',
      })
      expect(results).toMatchObject([{ limit: 5, remaining: 4 }])
    })

    it('add up to three, under the names they have', async () => {
      const { target } = await serve({
        app: [
          { ...limitAtNoon(20), name: 'app' },
          { ...limitAtNoon(9), name: 'burst' },
        ],
        route: [
          {
            limit: { daily: fixedWindow({ limit: 50, window: '1d' }), minutely: perMinute(7) },
            store: storeAtNoon(),
            name: 'login',
          },
        ],
      })
      const { fields } = await send(target, '/limited')
      expect(fields).toMatchObject({
        'ratelimit-policy':
          '"app:1m";q=20;w=60, "burst:1m";q=9;w=60, "login:daily";q=50;w=86400, "login:minutely";q=7;w=60',
        ratelimit:
          '"app:1m";r=19;t=60, "burst:1m";r=8;t=60, "login:daily";r=49;t=6360, "login:minutely";r=6;t=60',
      })
    })

    it('B109: old forms show the one closest to refusal, from the first request on', async () => {
      const { target } = await serve({
        app: [{ ...limitAtNoon(20), headers: 'draft-6' }],
        route: [{ ...limitAtNoon(2), headers: 'draft-6' }],
      })
      const answers = []
      for (const _call of [1, 2, 3]) answers.push(await send(target, '/limited'))
      expect(answers.map(({ status }) => status)).toEqual([200, 200, 429])
      expect(answers.map(({ fields }) => fields['ratelimit-limit'])).toEqual(['2', '2', '2'])
      expect(answers.map(({ fields }) => fields['ratelimit-remaining'])).toEqual(['1', '0', '0'])
    })

    it('with a form each, both forms are told; of a field that both write, the later one’s', async () => {
      const { target } = await serve({
        app: [
          { ...limitAtNoon(20), headers: 'legacy' },
          { ...limitAtNoon(9), headers: 'draft-7' },
        ],
        route: [{ ...limitAtNoon(5), headers: 'draft-8' }],
      })
      const { 'x-ratelimit-reset': _reset, ...fields } = limitFields(await send(target, '/limited'))
      expect(fields).toEqual({
        'x-ratelimit-limit': '20',
        'x-ratelimit-remaining': '19',
        'ratelimit-policy': '"1m";q=20;w=60, "1m-2";q=9;w=60, "1m-3";q=5;w=60',
        ratelimit: '"1m";r=19;t=60, "1m-2";r=8;t=60, "1m-3";r=4;t=60',
      })
    })

    it('tell of both when the outer one has refused nothing and the inner one refuses', async () => {
      const { target } = await serve({ app: [limitAtNoon(20)], route: [limitAtNoon(0)] })
      const answer = await send(target, '/limited')
      expect(answer.status).toBe(429)
      expect(answer.fields.ratelimit).toBe('"1m";r=19;t=60, "1m-2";r=0')
      expect(JSON.parse(answer.body)).toMatchObject({ 'violated-policies': ['1m-2'] })
    })

    it('do not ask the inner one when the outer one refuses', async () => {
      const inner = createLimiter(limitAtNoon(5))
      const { target } = await serve({ app: [limitAtNoon(0)], route: [{ limiter: inner }] })
      expect((await send(target, '/limited')).fields.ratelimit).toBe('"1m";r=0')
      expect(inner.peek('127.0.0.1')).toMatchObject({ used: 0 })
    })
  })

  describe('one limiter in two places', () => {
    it('B100: counts a request once that passes both', async () => {
      const limiter = createLimiter(limitAtNoon(10))
      const { target } = await serve({ app: [{ limiter }], route: [{ limiter }] })
      const answer = await send(target, '/limited')
      expect(answer.fields.ratelimit).toBe('"1m";r=9;t=60')
      expect(limiter.peek('127.0.0.1')).toMatchObject({ used: 1 })
    })

    it('B104: has one budget for the routes it stands on', async () => {
      const group = createLimiter({ ...limitAtNoon(3), name: 'g' })
      const { target } = await serve({ router: [{ limiter: group }], route: [{ limiter: group }] })
      const statuses = []
      for (const path of ['/limited', '/api/ok', '/limited', '/api/ok', '/ok'])
        statuses.push((await send(target, path)).status)
      expect(statuses).toEqual([200, 200, 200, 429, 200])
    })

    it('B104: so have limiters of one name and limit on one store', async () => {
      const store = storeAtNoon()
      const group = { limit: perMinute(2), store, name: 'g' }
      const { target } = await serve({ router: [group], route: [group] })
      const statuses = []
      for (const path of ['/limited', '/api/ok', '/limited']) statuses.push((await send(target, path)).status)
      expect(statuses).toEqual([200, 200, 429])
    })
  })

  describe('several policies of one limiter', () => {
    it('B112: a refusal names the one that is used up', async () => {
      const { target } = await serve({
        app: [
          {
            limit: { burst: perMinute(5), daily: perMinute(1) },
            store: storeAtNoon(),
            onLimited: 'answers',
            key: () => 'k',
          },
        ],
      })
      await send(target, '/ok')
      expect((await send(target, '/ok')).body).toBe('default:daily k')
    })

    it('B105: a request that one refuses uses up none', async () => {
      const limiter = createLimiter({
        limit: { wide: perMinute(10), narrow: perMinute(3) },
        store: storeAtNoon(),
      })
      const { target } = await serve({ app: [{ limiter }] })
      for (const _call of [1, 2, 3, 4, 5]) await send(target, '/ok')
      const { policies } = limiter.peek('127.0.0.1') as { policies: readonly { used: number }[] }
      expect(policies.map(({ used }) => used)).toEqual([3, 3])
    })
  })

  it('a limiter that skips or keeps its numbers to itself leaves the fields to the others', async () => {
    const { target } = await serve({
      app: [limitAtNoon(20), { ...limitAtNoon(9), skip: () => true }, { ...limitAtNoon(8), headers: false }],
    })
    expect(limitFields(await send(target, '/ok'))).toEqual({
      'ratelimit-policy': '"1m";q=20;w=60',
      ratelimit: '"1m";r=19;t=60',
    })
  })
}
