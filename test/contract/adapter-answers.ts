import type { HeadersOption } from '@rl/core/http'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { type Answer, send } from '../support/http-client.js'
import { limitAtNoon, NOON } from './at-noon.js'
import type { Serve } from './served.js'

const FIELDS = /^(ratelimit|x-ratelimit|retry-after|cache-control)/

/** The fields of an answer that a limiter may have written. */
export function limitFields({ fields }: Answer): Record<string, string> {
  return Object.fromEntries(Object.entries(fields).filter(([name]) => FIELDS.test(name)))
}

export function describeAnswers(serve: Serve): void {
  describe('an allowed request', () => {
    it('gets the answer of the handler and the fields', async () => {
      const { target, results } = await serve({ app: [limitAtNoon(3)] })
      const answer = await send(target, '/ok')
      expect(answer).toMatchObject({ status: 200, body: 'ok' })
      expect(limitFields(answer)).toEqual({ 'ratelimit-policy': '"1m";q=3;w=60', ratelimit: '"1m";r=2;t=60' })
      expect(results).toMatchObject([
        { allowed: true, limit: 3, remaining: 2, limiter: 'default', key: '127.0.0.1' },
      ])
    })

    it('B95: is counted and told on unknown paths too', async () => {
      const { target } = await serve({ app: [limitAtNoon(2)] })
      const answers = [await send(target, '/a'), await send(target, '/b'), await send(target, '/c')]
      expect(answers.map(({ status }) => status)).toEqual([404, 404, 429])
      expect(answers.map(({ fields }) => fields.ratelimit)).toEqual([
        '"1m";r=1;t=60',
        '"1m";r=0;t=60',
        '"1m";r=0;t=60',
      ])
    })
  })

  describe('a refused request', () => {
    it('gets 429, the fields, Retry-After and problem details, and does not reach the handler', async () => {
      const { target, results } = await serve({ app: [limitAtNoon(1)] })
      await send(target, '/ok')
      const answer = await send(target, '/ok')
      expect(answer.status).toBe(429)
      expect(limitFields(answer)).toEqual({
        'ratelimit-policy': '"1m";q=1;w=60',
        ratelimit: '"1m";r=0;t=60',
        'retry-after': '60',
        'cache-control': 'no-store',
      })
      expect(answer.fields['content-type']).toBe('application/problem+json')
      expect(answer.body).toBe(
        '{"type":"https://iana.org/assignments/http-problem-types#quota-exceeded","title":"Quota exceeded",' +
          '"status":429,"detail":"Try again in 60 seconds.","violated-policies":["1m"]}',
      )
      expect(results).toHaveLength(1)
    })

    it('gets text where it prefers that', async () => {
      const { target } = await serve({ app: [limitAtNoon(0)] })
      const headers = { accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8' }
      const answer = await send(target, '/ok', { headers })
      expect(answer.fields['content-type']).toBe('text/plain; charset=utf-8')
      expect(answer.body).toBe('Quota exceeded. This request costs more than can ever be allowed at once.\n')
    })

    it('B116: gets no Retry-After when waiting does not help', async () => {
      const { target } = await serve({ app: [{ ...limitAtNoon(5), cost: 10 }] })
      expect(limitFields(await send(target, '/ok'))).toEqual({
        'ratelimit-policy': '"1m";q=5;w=60',
        ratelimit: '"1m";r=5;t=60',
        'cache-control': 'no-store',
      })
    })
  })

  describe('the fields of a used-up limit', () => {
    afterEach(() => {
      vi.useRealTimers()
    })

    it.each<[HeadersOption, Record<string, string>]>([
      [
        'draft-6',
        {
          'ratelimit-policy': '1;w=60',
          'ratelimit-limit': '1',
          'ratelimit-remaining': '0',
          'ratelimit-reset': '60',
        },
      ],
      ['draft-7', { 'ratelimit-policy': '1;w=60', ratelimit: 'limit=1, remaining=0, reset=60' }],
      ['draft-8', { 'ratelimit-policy': '"1m";q=1;w=60', ratelimit: '"1m";r=0;t=60' }],
      [
        'legacy',
        { 'x-ratelimit-limit': '1', 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': '1700000100' },
      ],
      [
        ['draft-7', 'legacy'],
        {
          'ratelimit-policy': '1;w=60',
          ratelimit: 'limit=1, remaining=0, reset=60',
          'x-ratelimit-limit': '1',
          'x-ratelimit-remaining': '0',
          'x-ratelimit-reset': '1700000100',
        },
      ],
      [false, {}],
    ])(
      'in the form %j are the same on 200 and 429, but for what only a refusal has',
      async (headers, fields) => {
        vi.useFakeTimers({ now: NOON, toFake: ['Date'] })
        const { target } = await serve({ app: [{ ...limitAtNoon(1), headers }] })
        const [allowed, refused] = [await send(target, '/ok'), await send(target, '/ok')]
        expect(limitFields(allowed)).toEqual(fields)
        expect(limitFields(refused)).toEqual({ ...fields, 'retry-after': '60', 'cache-control': 'no-store' })
      },
    )
  })

  describe('onLimited', () => {
    it('answers instead, knows which limit refused whom, and the fields are there', async () => {
      const { target } = await serve({
        app: [{ ...limitAtNoon(0), name: 'login', key: () => 'user-1', onLimited: 'answers' }],
      })
      const answer = await send(target, '/ok')
      expect(answer).toMatchObject({ status: 418, body: 'login:1m user-1' })
      expect(limitFields(answer)).toEqual({
        'ratelimit-policy': '"login:1m";q=0;w=60',
        ratelimit: '"login:1m";r=0',
        'cache-control': 'no-store',
      })
    })
  })
}
