import { once } from 'node:events'
import { createLimiter, type Limiter } from '@rl/core'
import type { Outcome } from '@rl/core/http'
import { describe, expect, it, vi } from 'vitest'
import { open, rawGet, send, type Target } from '../support/http-client.js'
import { limitAtNoon } from './at-noon.js'
import type { Serve } from './served.js'

type CountWhen = (outcome: Outcome) => boolean | undefined | Promise<boolean | undefined>

const isFailed = ({ status = 500, aborted }: Outcome) => aborted || status >= 400
const KEY = 'ann'
const soon = (check: () => unknown) => vi.waitFor(check, { timeout: 10_000 })

export function describeCountWhen(serve: Serve): void {
  /** An application that counts when it says; `asked` has what it was asked of, in order. */
  async function counting(countWhen: CountWhen, limit = 1000) {
    const limiter = createLimiter(limitAtNoon(limit))
    const asked: Outcome[] = []
    let arrivals = 0
    const key = () => {
      arrivals++
      return KEY
    }
    const app = [
      {
        limiter,
        key,
        countWhen: (_ctx: unknown, outcome: Outcome) => {
          asked.push(outcome)
          return countWhen(outcome)
        },
      },
    ]
    const { target } = await serve({ app })
    return {
      target,
      limiter,
      asked,
      arrived: (count: number) => soon(() => expect(arrivals).toBe(count)),
    }
  }

  const usedOf = (limiter: Limiter) => limiter.peek(KEY)

  const answered = async (target: Target, path: string, method = 'GET') => {
    await send(target, path, { method }).catch(() => {})
  }

  /** Clients that leave: in the middle of an answer, or before it. */
  const leave = async (
    target: Target,
    path: string,
    clients = 1,
    arrived: () => Promise<unknown> = () => Promise.resolve(),
  ) => {
    const sockets = Array.from({ length: clients }, () => open(target, rawGet(path)))
    if (path === '/hangs') await Promise.all(sockets.map((socket) => once(socket, 'data')))
    await arrived()
    for (const socket of sockets) socket.destroy()
  }

  describe('countWhen', () => {
    type Way = readonly [
      what: string,
      failed: boolean,
      drive: (opened: Awaited<ReturnType<typeof counting>>) => Promise<void>,
    ]
    const WAYS: readonly Way[] = [
      ['an answer', false, ({ target }) => answered(target, '/ok')],
      ['an answer to HEAD', false, ({ target }) => answered(target, '/ok', 'HEAD')],
      ['an answer to POST', false, ({ target }) => answered(target, '/ok', 'POST')],
      ['a redirect', false, ({ target }) => answered(target, '/redirect')],
      ['a streamed body', false, ({ target }) => answered(target, '/streams')],
      ['a 404', true, ({ target }) => answered(target, '/missing')],
      ['an error that was thrown', true, ({ target }) => answered(target, '/throws')],
      ['an error that came later', true, ({ target }) => answered(target, '/rejects')],
      ['a stream that breaks', true, ({ target }) => answered(target, '/breaks')],
      ['a client that leaves in the middle', true, ({ target }) => leave(target, '/hangs')],
      [
        'a client that leaves before',
        true,
        ({ target, arrived }) => leave(target, '/waits', 1, () => arrived(1)),
      ],
    ]

    it.each(WAYS)('only failures: %s, failed: %s', async (_, failed, drive) => {
      const opened = await counting(isFailed)
      await drive(opened)
      await soon(() => expect(opened.asked).toHaveLength(1))
      expect(usedOf(opened.limiter)).toMatchObject({ used: failed ? 1 : 0 })
    })

    it.each(WAYS)('only successes, as a promise tells: %s, failed: %s', async (_, failed, drive) => {
      const opened = await counting((outcome) => Promise.resolve(!isFailed(outcome)))
      await drive(opened)
      await soon(() => expect(opened.asked).toHaveLength(1))
      await soon(() => expect(usedOf(opened.limiter)).toMatchObject({ used: failed ? 0 : 1 }))
    })

    it.each<[string, CountWhen]>([
      [
        'throws',
        () => {
          throw new Error('of countWhen')
        },
      ],
      ['rejects', () => Promise.reject(new Error('of countWhen'))],
      ['gives nothing', () => undefined],
    ])('that %s leaves the charge', async (_, countWhen) => {
      vi.spyOn(console, 'error').mockImplementation(() => {})
      const { target, limiter, asked } = await counting(countWhen)
      await send(target, '/ok')
      await soon(() => expect(asked).toHaveLength(1))
      expect(usedOf(limiter)).toMatchObject({ used: 1 })
      vi.restoreAllMocks()
    })

    it('is not asked of our own 429, which charged nothing', async () => {
      const { target, limiter, asked } = await counting(() => false, 1)
      await limiter.consume(KEY)
      for (let i = 0; i < 3; i++) expect((await send(target, '/ok')).status).toBe(429)
      expect([asked, usedOf(limiter)]).toMatchObject([[], { used: 1 }])
    })

    it('is no way round the limit by many at once: those under way count', async () => {
      const { target, arrived } = await counting(isFailed, 5)
      const sockets = Array.from({ length: 5 }, () => open(target, rawGet('/waits')))
      await arrived(5)
      const statuses = await Promise.all(Array.from({ length: 5 }, () => send(target, '/ok')))
      expect(statuses.map(({ status }) => status)).toEqual([429, 429, 429, 429, 429])
      for (const socket of sockets) socket.destroy()
    })

    it('100 failing logins that are given up in flight all count', async () => {
      const { target, limiter, asked, arrived } = await counting(isFailed, 100)
      await leave(target, '/waits', 100, () => arrived(100))
      await soon(() => expect(asked).toHaveLength(100))
      expect(usedOf(limiter)).toMatchObject({ used: 100, remaining: 0 })
      expect((await send(target, '/ok')).status).toBe(429)
    })

    it('500 requests that are given up leave exactly what counts of them', async () => {
      const { target, limiter, asked, arrived } = await counting(({ status }) => status === undefined)
      for (let round = 1; round <= 5; round++) {
        await leave(target, '/hangs', 50)
        await leave(target, '/waits', 50, () => arrived(round * 100))
      }
      await soon(() => expect(asked).toHaveLength(500))
      expect(asked.every(({ aborted }) => aborted)).toBe(true)
      expect(usedOf(limiter)).toMatchObject({ used: 250 })
    })
  })
}
