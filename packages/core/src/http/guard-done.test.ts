import { describe, expect, it, vi } from 'vitest'
import { fakeRequest } from '../../../../test/support/fake-request.js'
import { lateStore } from '../../../../test/support/late-store.js'
import { createLimiter } from '../limiter.js'
import { memoryStore } from '../memory/memory-store.js'
import { createGuard } from './guard.js'
import type { GuardOptions } from './guard-options.js'

const served = { status: 200, aborted: false }
const gone = { status: undefined, aborted: true }

const told = () => vi.fn<NonNullable<GuardOptions<unknown>['onDone']>>()

describe('onDone', () => {
  it('is told the context, how the request ended and what was decided', () => {
    const onDone = told()
    const guard = createGuard({ limit: '5/1m', onDone })
    const [request, ctx] = [fakeRequest(), { my: 'context' }]
    void guard.check(request, ctx)
    guard.done?.(request, ctx, served)
    expect(onDone).toHaveBeenCalledExactlyOnceWith(ctx, {
      status: 200,
      aborted: false,
      result: expect.objectContaining({ allowed: true, remaining: 4, key: '203.0.113.9' }),
    })
  })

  it('is not there for the adapter to call when nobody wants to know', () => {
    expect(createGuard({ limit: '5/1m' }).done).toBeUndefined()
  })

  it('is told of requests that were not counted, without a result', () => {
    const onDone = told()
    const guard = createGuard({ limit: '5/1m', enabled: false, onDone })
    const request = fakeRequest()
    void guard.check(request, {})
    guard.done?.(request, {}, served)
    expect(onDone).toHaveBeenCalledExactlyOnceWith({}, { ...served, result: undefined })
  })

  it.each([
    [
      'throws',
      () => {
        throw new Error('full disk')
      },
    ],
    ['rejects', () => Promise.reject(new Error('full disk'))],
  ])('is logged when it %s, for nobody is left to answer', async (_, onDone) => {
    const logger = { warn: vi.fn(), error: vi.fn() }
    const guard = createGuard({ limit: '5/1m', name: 'api', logger, onDone })
    const request = fakeRequest()
    void guard.check(request, {})
    guard.done?.(request, {}, served)
    await Promise.resolve()
    expect(logger.error).toHaveBeenCalledExactlyOnceWith(
      '[rl] onDone of limiter "api" failed: Error: full disk',
    )
  })
})

describe('each limiter is told its own result', () => {
  it('also when neither has a name', () => {
    const [first, second] = [told(), told()]
    const [wide, narrow] = [
      createGuard({ limit: '100/1m', onDone: first }),
      createGuard({ limit: '5/1m', onDone: second }),
    ]
    const request = fakeRequest()
    for (const guard of [wide, narrow]) void guard.check(request, {})
    for (const guard of [wide, narrow]) guard.done?.(request, {}, served)
    expect(first.mock.lastCall?.[1].result).toMatchObject({ limit: 100 })
    expect(second.mock.lastCall?.[1].result).toMatchObject({ limit: 5 })
  })

  it('also when two guards share a limiter for two keys', () => {
    const limiter = createLimiter({ limit: '5/1m' })
    const [first, second] = [told(), told()]
    const guards = [
      createGuard({ limiter, key: () => 'a', onDone: first }),
      createGuard({ limiter, key: () => 'b', onDone: second }),
    ]
    const request = fakeRequest()
    for (const guard of guards) void guard.check(request, {})
    for (const guard of guards) guard.done?.(request, {}, served)
    expect(first.mock.lastCall?.[1].result).toMatchObject({ key: 'a' })
    expect(second.mock.lastCall?.[1].result).toMatchObject({ key: 'b' })
  })
})

describe('once a request', () => {
  it('although the middleware is mounted twice', () => {
    const onDone = told()
    const guard = createGuard({ limit: '5/1m', onDone })
    const request = fakeRequest()
    for (const _mount of [1, 2]) void guard.check(request, {})
    for (const _mount of [1, 2]) guard.done?.(request, {}, served)
    expect(onDone).toHaveBeenCalledOnce()
  })

  it('although the second mount comes after the end', () => {
    const onDone = told()
    const guard = createGuard({ limit: '5/1m', onDone })
    const request = fakeRequest()
    for (const _mount of [1, 2]) {
      void guard.check(request, {})
      guard.done?.(request, {}, gone)
    }
    expect(onDone).toHaveBeenCalledOnce()
  })

  it('B122: not before the decision is known, when the client goes while a store thinks', async () => {
    const store = lateStore(memoryStore())
    const onDone = told()
    const guard = createGuard({ limit: '5/1m', store, onDone })
    const request = fakeRequest()
    const verdict = guard.check(request, {})
    guard.done?.(request, {}, gone)
    store.release()
    await verdict
    expect(onDone).toHaveBeenCalledExactlyOnceWith(
      {},
      { ...gone, result: expect.objectContaining({ allowed: true, used: 1 }) },
    )
  })

  it('and also when the decision fails meanwhile', async () => {
    const onDone = told()
    const guard = createGuard({ limit: '5/1m', key: () => Promise.reject(new Error('no')), onDone })
    const request = fakeRequest()
    const verdict = guard.check(request, {})
    guard.done?.(request, {}, gone)
    await expect(verdict).rejects.toThrow('no')
    expect(onDone).toHaveBeenCalledExactlyOnceWith({}, { ...gone, result: undefined })
  })
})
