import type { Limit } from '@rl/core'
import { type CachedLimitOptions, cachedLimit } from '@rl/core/http'
import { describe, expect, it, vi } from 'vitest'
import { send } from '../support/http-client.js'
import { limitFields } from './adapter-answers.js'
import { perMinute, storeAtNoon } from './at-noon.js'
import type { Serve } from './served.js'

const byAccount: CachedLimitOptions<unknown>['by'] = (_ctx, view) => view.header('x-account')

export function describeLoaded(serve: Serve): void {
  async function served(load: () => unknown, options: Partial<CachedLimitOptions<unknown>> = {}) {
    const logger = { warn: vi.fn(), error: vi.fn() }
    const loads = vi.fn(load as () => Limit)
    const limit = cachedLimit(loads, { by: byAccount, ttl: '1m', onError: 'refuse', logger, ...options })
    const { target, errors, results } = await serve({
      app: [{ limit, store: storeAtNoon(), key: byAccount }],
    })
    const ask = (account = 'a') => send(target, '/ok', { headers: { 'x-account': account } })
    return { ask, loads, logger, errors, results, limit }
  }

  describe('a limit that is loaded', () => {
    it('is loaded once for many requests at once, and each is counted against it', async () => {
      const load = () => new Promise((resolve) => setTimeout(resolve, 20, perMinute(3)))
      const { ask, loads } = await served(load)
      const answers = await Promise.all([1, 2, 3, 4, 5].map(() => ask()))
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 200, 200, 429, 429])
      expect(loads).toHaveBeenCalledOnce()
    })

    it('is loaded again when it is forgotten, and keeps what was counted', async () => {
      let plan = perMinute(1)
      const { ask, limit } = await served(() => plan)
      await ask()
      expect((await ask()).status).toBe(429)
      plan = perMinute(5)
      limit.forget('a')
      expect((await ask()).fields.ratelimit).toBe('"1m";r=3;t=60')
    })
  })

  describe('a load that fails', () => {
    it.each<[string, () => unknown]>([
      ['rejects', () => Promise.reject(new Error('no database'))],
      ['hangs', () => new Promise(() => {})],
      ['gives NaN', () => Number.NaN],
      ['gives nothing', () => undefined],
      ['gives a text that is no limit', () => 'unlimited'],
    ])('that %s is 503 without fields, and one line in the log', async (_, load) => {
      const { ask, logger, errors, results } = await served(load, { timeout: '30ms' })
      for (const _call of [1, 2]) {
        const answer = await ask()
        expect([answer.status, limitFields(answer)]).toEqual([503, { 'cache-control': 'no-store' }])
        expect(JSON.parse(answer.body)).toMatchObject({ status: 503, title: 'Temporarily reduced capacity' })
      }
      expect([errors, results]).toEqual([[], []])
      expect(logger.error).toHaveBeenCalledOnce()
    })

    it('is stood in for by the limit of onError', async () => {
      const { ask } = await served(() => Promise.reject(new Error('no database')), { onError: perMinute(1) })
      expect([(await ask()).status, (await ask()).status, (await ask('b')).status]).toEqual([200, 429, 200])
    })

    it('a request of nobody is an error of the application, not a limit for all', async () => {
      const { ask, errors } = await served(() => '5/1m', { by: () => undefined })
      expect([(await ask()).status, errors]).toMatchObject([500, [{ code: 'RL_KEY' }]])
    })
  })
}
