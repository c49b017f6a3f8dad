import { createLimiter } from '@rl/core'
import { describe, expect, it } from 'vitest'
import { send } from '../support/http-client.js'
import { limitFields } from './adapter-answers.js'
import { limitAtNoon, perMinute } from './at-noon.js'
import type { Mount, Serve } from './served.js'

const told = { 'ratelimit-policy': '"1m";q=3;w=60', ratelimit: '"1m";r=2;t=60' }

export function describeErrors(serve: Serve): void {
  describe('errors', () => {
    it.each([['/throws'], ['/rejects']])(
      'row 87: one of the handler (%s) is the application’s, is counted, and keeps the fields',
      async (path) => {
        const limiter = createLimiter(limitAtNoon(3))
        const { target, errors } = await serve({ app: [{ limiter }] })
        const answer = await send(target, path)
        expect(answer.status).toBe(500)
        expect(errors).toMatchObject([{ message: 'of the handler' }])
        expect(limitFields(answer)).toEqual(told)
        expect(limiter.peek('127.0.0.1')).toMatchObject({ used: 1 })
      },
    )

    it('one before the limiter counts for nobody', async () => {
      const limiter = createLimiter(limitAtNoon(3))
      const { target, errors } = await serve({ app: [{ limiter }], failsBefore: true })
      const answer = await send(target, '/ok')
      expect([answer.status, errors]).toMatchObject([500, [{ message: 'of the application' }]])
      expect(limitFields(answer)).toEqual({})
      expect(limiter.peek('127.0.0.1')).toMatchObject({ used: 0 })
    })

    it.each(['throws', 'rejects'] as const)(
      'one of onLimited that %s is the application’s too',
      async (onLimited) => {
        const { target, errors, results } = await serve({ app: [{ ...limitAtNoon(0), onLimited }] })
        const answer = await send(target, '/ok')
        expect([answer.status, errors]).toMatchObject([500, [{ message: 'of the refusal' }]])
        expect(answer.fields.ratelimit).toBe('"1m";r=0')
        expect(results).toEqual([])
      },
    )
  })

  describe('a store that fails', () => {
    const failing = (onStoreFailure?: Mount['onStoreFailure']): Mount => ({
      limit: perMinute(1),
      store: {
        consume: () => Promise.reject(new Error('of the store')),
        settle: () => undefined,
        reset: () => undefined,
        close: () => undefined,
      },
      onStoreFailure,
      logger: { warn: () => {}, error: () => {} },
    })

    it('B67: is stood in for by a limit in this process', async () => {
      const { target, errors, results } = await serve({ app: [failing()] })
      const statuses = [(await send(target, '/ok')).status, (await send(target, '/ok')).status]
      expect([statuses, errors]).toEqual([[200, 429], []])
      expect(results).toMatchObject([{ counted: true, source: 'local' }])
    })

    it('B64: closed, it is a 503 and no number is invented', async () => {
      const { target, errors, results } = await serve({ app: [failing('closed')] })
      const answer = await send(target, '/ok')
      expect([answer.status, errors, results]).toEqual([503, [], []])
      expect(limitFields(answer)).toEqual({ 'cache-control': 'no-store' })
      expect(answer.body).toBe(
        '{"type":"https://iana.org/assignments/http-problem-types#temporary-reduced-capacity",' +
          '"title":"Temporarily reduced capacity","status":503,' +
          '"detail":"Requests cannot be counted at the moment. Try again later."}',
      )
    })

    it('B64: open, it lets requests pass and no number is invented', async () => {
      const { target, results } = await serve({ app: [failing('open')] })
      const answer = await send(target, '/ok')
      expect([answer.status, limitFields(answer)]).toEqual([200, {}])
      expect(results).toMatchObject([{ counted: false, source: 'open', key: '127.0.0.1' }])
    })
  })
}
