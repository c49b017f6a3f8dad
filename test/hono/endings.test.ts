import type { Outcome } from '@rl/core/http'
import { rateLimit } from '@rl/hono'
import { type Context, Hono } from 'hono'
import { describe, expect, it, vi } from 'vitest'
import { limitAtNoon } from '../contract/at-noon.js'

// Without Node's response, as on Bun, Deno and Workers: the end is when the body has been read, or the signal aborts.

/** An application without a server, and what onDone is told. */
function watched(answer: (c: Context) => Response | Promise<Response>, limit = 3) {
  const outcomes: Outcome[] = []
  const onDone = (_c: unknown, outcome: Outcome) => outcomes.push(outcome)
  const app = new Hono().use(rateLimit({ ...limitAtNoon(limit), key: () => 'k', onDone }))
  app.get('/', answer)
  return { outcomes, fetch: (init: RequestInit = {}) => app.fetch(new Request('http://a/', init)) }
}

/** A body in parts, each when it is asked for; it fails or ends after them. */
function parts(texts: readonly string[], failing?: Error): ReadableStream<Uint8Array> {
  const left = texts.map((text) => new TextEncoder().encode(text))
  return new ReadableStream({
    pull(controller) {
      const part = left.shift()
      if (part !== undefined) controller.enqueue(part)
      else if (failing !== undefined) controller.error(failing)
      else controller.close()
    },
  })
}

describe('onDone where there is no Node response', () => {
  it('is told at the end of a streamed body, not before', async () => {
    const { outcomes, fetch } = watched(() => new Response(parts(['one', 'two']), { status: 201 }))
    const response = await fetch()
    const before = [...outcomes]
    expect(await response.text()).toBe('onetwo')
    expect(before).toEqual([])
    expect(outcomes).toMatchObject([{ status: 201, aborted: false, result: { used: 1 } }])
  })

  it('is told once of a reader that leaves, and the body learns of it', async () => {
    const cancelled = vi.fn()
    const { outcomes, fetch } = watched(
      () =>
        new Response(new ReadableStream({ pull: (c) => c.enqueue(new Uint8Array(9)), cancel: cancelled })),
    )
    const reader = (await fetch()).body?.getReader()
    await reader?.read()
    await reader?.cancel('gone')
    expect(outcomes).toMatchObject([{ status: 200, aborted: true, result: { used: 1 } }])
    expect(cancelled).toHaveBeenCalledWith('gone')
  })

  it('is told of a body that fails, and its error is the reader’s', async () => {
    const { outcomes, fetch } = watched(() => new Response(parts(['one'], new Error('of the body'))))
    const response = await fetch()
    await expect(response.text()).rejects.toThrow('of the body')
    expect(outcomes).toMatchObject([{ status: 200, aborted: true }])
  })

  it('is told once when the signal aborts in the middle of a body', async () => {
    const abort = new AbortController()
    const { outcomes, fetch } = watched(() => new Response(parts(['one', 'two'])))
    const reader = (await fetch({ signal: abort.signal })).body?.getReader()
    await reader?.read()
    abort.abort()
    await reader?.cancel()
    expect(outcomes).toMatchObject([{ status: 200, aborted: true, result: { used: 1 } }])
  })

  it('is told without a status when the signal aborts before the answer', async () => {
    const abort = new AbortController()
    const { outcomes, fetch } = watched((c) => {
      abort.abort()
      return c.text('late')
    })
    await fetch({ signal: abort.signal })
    expect(outcomes).toMatchObject([{ status: undefined, aborted: true, result: { used: 1 } }])
  })

  it('row 33: is told of a client that is gone before the limiter runs', async () => {
    const { outcomes, fetch } = watched((c) => c.text('late'))
    await fetch({ signal: AbortSignal.abort() })
    expect(outcomes).toMatchObject([{ status: undefined, aborted: true, result: { used: 1 } }])
  })

  it.each<[string, (c: Context) => Response, number]>([
    ['no body', (c) => c.body(null, 204), 204],
    ['a redirect', (c) => c.redirect('/other'), 302],
  ])('is told at once of %s', async (_kind, answer, status) => {
    const { outcomes, fetch } = watched(answer)
    await fetch()
    expect(outcomes).toMatchObject([{ status, aborted: false }])
  })

  it('is told of HEAD, whose body nobody reads', async () => {
    const { outcomes, fetch } = watched((c) => c.text('ok'))
    await fetch({ method: 'HEAD' })
    expect(outcomes).toMatchObject([{ status: 200, aborted: false }])
  })

  it('is told of a refusal', async () => {
    const { outcomes, fetch } = watched((c) => c.text('ok'), 0)
    await (await fetch()).text()
    expect(outcomes).toMatchObject([{ status: 429, aborted: false, result: { allowed: false } }])
  })

  it('is told of a handler that fails', async () => {
    vi.spyOn(console, 'error').mockImplementation(() => {})
    const { outcomes, fetch } = watched(() => Promise.reject(new Error('of the handler')))
    await (await fetch()).text()
    expect(outcomes).toMatchObject([{ status: 500, aborted: false, result: { used: 1 } }])
  })

  it('is told of a request that fails before it is counted', async () => {
    const onDone = vi.fn()
    const key = () => Promise.reject(new Error('no key'))
    const app = new Hono()
      .use(rateLimit({ ...limitAtNoon(3), key, onDone }))
      .onError((_e, c) => c.text('', 500))
    await app.fetch(new Request('http://a/'))
    expect(onDone.mock.calls).toMatchObject([[{}, { status: undefined, aborted: false, result: undefined }]])
  })

  it('is told once by a limiter that is mounted twice', async () => {
    const onDone = vi.fn()
    const limiter = rateLimit({ ...limitAtNoon(3), key: () => 'k', onDone })
    const app = new Hono().use(limiter, limiter).get('/', (c) => c.text('ok'))
    await (await app.fetch(new Request('http://a/'))).text()
    expect(onDone).toHaveBeenCalledOnce()
  })
})
