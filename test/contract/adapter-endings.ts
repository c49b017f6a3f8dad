import { once } from 'node:events'
import { createLimiter, type Limiter } from '@rl/core'
import type { Outcome } from '@rl/core/http'
import { describe, expect, it, vi } from 'vitest'
import { open, rawGet, send, type Target } from '../support/http-client.js'
import { lateStore } from '../support/late-store.js'
import { limitFields } from './adapter-answers.js'
import { limitAtNoon, perMinute, storeAtNoon } from './at-noon.js'
import type { Mount, Serve } from './served.js'

const told = { 'ratelimit-policy': '"1m";q=3;w=60', ratelimit: '"1m";r=2;t=60' }

export function describeEndings(serve: Serve): void {
  describe('responses of every kind', () => {
    it.each([
      ['/streams', { status: 200, body: 'onetwo' }],
      ['/redirect', { status: 302 }],
      ['/missing', { status: 404 }],
    ])('row 88: %s has the fields', async (path, expected) => {
      const { target } = await serve({ app: [limitAtNoon(3)] })
      const answer = await send(target, path)
      expect(answer).toMatchObject(expected)
      expect(limitFields(answer)).toEqual(told)
    })

    it('one that breaks half-way had the fields, and is no error of ours', async () => {
      const { target, errors } = await serve({ app: [limitAtNoon(3)] })
      await expect(send(target, '/breaks')).rejects.toMatchObject({ code: 'ECONNRESET' })
      expect(errors).toEqual([])
      expect((await send(target, '/ok')).status).toBe(200)
    })
  })

  describe('onDone', () => {
    /** What it was told, however often, of the first request and until the server is closed. */
    async function endingOf(mount: Mount, drive: (target: Target) => Promise<unknown>): Promise<Outcome[]> {
      const outcomes: Outcome[] = []
      const onDone = (_ctx: unknown, outcome: Outcome) => outcomes.push(outcome)
      const { target, close } = await serve({ app: [{ ...mount, onDone }] })
      await drive(target)
      await vi.waitFor(() => expect(outcomes).not.toEqual([]))
      await close()
      return outcomes
    }

    it.each<[path: string, limit: number, outcome: Omit<Outcome, 'result'>]>([
      ['/ok', 3, { status: 200, aborted: false }],
      ['/missing', 3, { status: 404, aborted: false }],
      ['/throws', 3, { status: 500, aborted: false }],
      ['/rejects', 3, { status: 500, aborted: false }],
      ['/redirect', 3, { status: 302, aborted: false }],
      ['/streams', 3, { status: 200, aborted: false }],
      ['/ok', 0, { status: 429, aborted: false }],
    ])('is told once of %s against limit %i', async (path, limit, outcome) => {
      const outcomes = await endingOf(limitAtNoon(limit), (target) => send(target, path))
      expect(outcomes).toEqual([{ ...outcome, result: expect.objectContaining({ limit, key: '127.0.0.1' }) }])
    })

    it('is told once of a request that fails before it is counted', async () => {
      const key = () => Promise.reject(new Error('no key'))
      const outcomes = await endingOf({ ...limitAtNoon(3), key }, (target) => send(target, '/ok'))
      expect(outcomes).toEqual([{ status: 500, aborted: false, result: undefined }])
    })

    it('is told once of a stream that breaks', async () => {
      const outcomes = await endingOf(limitAtNoon(3), (target) => send(target, '/breaks').catch(() => {}))
      expect(outcomes).toMatchObject([{ status: 200, aborted: true, result: { used: 1 } }])
    })

    it('is told once of a client that leaves in the middle of an answer', async () => {
      const outcomes = await endingOf(limitAtNoon(3), async (target) => {
        const socket = open(target, rawGet('/hangs'))
        await once(socket, 'data')
        socket.destroy()
      })
      expect(outcomes).toMatchObject([{ status: 200, aborted: true, result: { used: 1 } }])
    })

    it('is told once of a client that leaves before the answer', async () => {
      const { arrived, key } = arrival()
      const outcomes = await endingOf({ ...limitAtNoon(3), key }, async (target) => {
        const socket = open(target, rawGet('/waits'))
        await arrived
        socket.destroy()
      })
      expect(outcomes).toMatchObject([{ status: undefined, aborted: true, result: { used: 1 } }])
    })

    it('is told once of a client that leaves while the store thinks, with what the store then says', async () => {
      const { arrived, key } = arrival()
      const store = lateStore(storeAtNoon())
      const outcomes = await endingOf({ limit: perMinute(3), store, key }, async (target) => {
        const socket = open(target, rawGet('/waits'))
        await arrived
        socket.destroy()
        await once(socket, 'close')
        store.release()
      })
      expect(outcomes).toMatchObject([{ status: undefined, aborted: true, result: { used: 1 } }])
    })

    it('is told once although the limiter is mounted twice', async () => {
      const onDone = vi.fn()
      const mount = { ...limitAtNoon(3), onDone }
      const { target, close } = await serve({ app: [mount, mount], route: [mount] })
      await send(target, '/limited')
      await close()
      expect(onDone).toHaveBeenCalledOnce()
    })
  })

  describe('B122: refunds of what failed', () => {
    const isFailed = ({ status = 500, aborted }: Outcome) => aborted || status >= 500
    const ways: Readonly<Record<string, (limiter: Limiter) => Partial<Mount>>> = {
      'countWhen that says no': () => ({ countWhen: (_ctx, outcome) => !isFailed(outcome) }),
      'onDone that gives back': (limiter) => ({
        onDone: (_ctx, outcome) => {
          if (outcome.result !== undefined && isFailed(outcome)) void limiter.refund(outcome.result)
        },
      }),
    }

    it.each(
      Object.keys(ways).flatMap((way): [string, string, number][] => [
        [way, '/ok', 1],
        [way, '/throws', 0],
        [way, '/breaks', 0],
        [way, '/missing', 1],
      ]),
    )('by %s: after %s, %i stays used', async (way, path, used) => {
      const limiter = createLimiter(limitAtNoon(5))
      const ended = vi.fn()
      // Told after the one before it.
      const last = { ...limitAtNoon(9), onDone: ended }
      const { target } = await serve({ app: [{ limiter, ...ways[way]?.(limiter) }, last] })
      await send(target, path).catch(() => {})
      await vi.waitFor(() => expect(ended).toHaveBeenCalled())
      expect(limiter.peek('127.0.0.1')).toMatchObject({ used })
    })
  })
}

/** A key function that says when a request has come to the limiter. */
function arrival() {
  let arrive = () => {}
  const arrived = new Promise<void>((resolve) => {
    arrive = resolve
  })
  const key = () => {
    arrive()
    return '127.0.0.1'
  }
  return { arrived, key }
}
