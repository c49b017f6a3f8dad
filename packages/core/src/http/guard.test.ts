import { describe, expect, it, vi } from 'vitest'
import { fakeRequest } from '../../../../test/support/fake-request.js'
import { lateStore } from '../../../../test/support/late-store.js'
import { createLimiter } from '../limiter.js'
import { memoryStore } from '../memory/memory-store.js'
import { fixedWindow } from '../model/policy.js'
import { createGuard, type Guard } from './guard.js'
import { rateLimitOf } from './request-state.js'
import type { Verdict } from './verdict.js'

const store = () => memoryStore({ clock: () => 1_700_000_040_000 })
const minute = (limit: number) => fixedWindow({ limit, window: '1m' })

/** The verdict of a guard that needs no promise. */
const check = (guard: Guard<unknown>, request = fakeRequest()) => guard.check(request, {}) as Verdict

describe('with a memory store', () => {
  it('a verdict is there at once, without a promise', () => {
    const guard = createGuard({ limit: minute(2), store: store() })
    expect(guard.check(fakeRequest(), {})).toMatchObject({ allowed: true })
  })

  it('an allowed request gets the fields', () => {
    const { headers } = check(createGuard({ limit: minute(2), store: store() }))
    expect(headers).toEqual([
      ['RateLimit-Policy', '"1m";q=2;w=60'],
      ['RateLimit', '"1m";r=1;t=60'],
    ])
  })

  it('a refused one gets Retry-After, no-store and a body too', () => {
    const guard = createGuard({ limit: minute(0), store: store() })
    expect(check(guard)).toMatchObject({
      allowed: false,
      status: 429,
      type: 'application/problem+json',
      headers: [
        ['RateLimit-Policy', '"1m";q=0;w=60'],
        ['RateLimit', '"1m";r=0'],
        ['Cache-Control', 'no-store'],
      ],
    })
  })

  it('B39: Retry-After is what is left of the window', () => {
    let now = 1_700_000_040_000
    const limit = fixedWindow({ limit: 1, window: '15s', align: 'first-hit' })
    const guard = createGuard({ limit, store: memoryStore({ clock: () => now }) })
    check(guard)
    now += 10_000
    const verdict = check(guard, fakeRequest({ headers: { accept: 'text/plain' } }))
    expect(verdict.headers).toContainEqual(['Retry-After', '5'])
    expect(verdict).toMatchObject({ body: 'Quota exceeded. Try again in 5 seconds.\n' })
  })

  it('headers: false keeps the numbers, not Retry-After', () => {
    const guard = createGuard({ limit: minute(1), headers: false, store: store() })
    check(guard)
    expect(check(guard).headers).toEqual([
      ['Retry-After', '60'],
      ['Cache-Control', 'no-store'],
    ])
  })

  it('the result is the decision with the name of its limiter and the key it counted for', () => {
    const request = fakeRequest()
    const { result } = check(createGuard({ limit: minute(2), name: 'login', store: store() }), request)
    expect(result).toMatchObject({ allowed: true, remaining: 1, limiter: 'login', key: '203.0.113.9' })
    expect(rateLimitOf(request.carrier)).toBe(result)
  })
})

describe('with a store that answers later', () => {
  it('the verdict comes with it', async () => {
    const late = lateStore(store())
    const verdict = createGuard({ limit: minute(2), store: late }).check(fakeRequest(), {})
    late.release()
    expect(verdict).toBeInstanceOf(Promise)
    await expect(verdict).resolves.toMatchObject({ allowed: true, result: { remaining: 1 } })
  })

  it('a decision without numbers gives no field, and refused it is 503', async () => {
    const closed = { counted: false, allowed: false, source: 'none', reason: 'closed' } as const
    const closedStore = { ...lateStore(store()), consume: () => Promise.resolve(closed) }
    const verdict = await createGuard({ limit: minute(2), store: closedStore }).check(fakeRequest(), {})
    expect(verdict).toMatchObject({ status: 503, headers: [['Cache-Control', 'no-store']] })
    expect(JSON.stringify(verdict)).not.toMatch(/NaN|undefined/)
  })
})

describe('B100: counted once a request', () => {
  it('one limiter mounted twice', () => {
    const guard = createGuard({ limit: minute(10), store: store() })
    const request = fakeRequest()
    const verdicts = [check(guard, request), check(guard, request)]
    expect(verdicts.map(({ result }) => result)).toMatchObject([{ remaining: 9 }, { remaining: 9 }])
    expect(verdicts[1]?.headers).toEqual(verdicts[0]?.headers)
  })

  it('one limiter behind two guards', () => {
    const limiter = createLimiter({ limit: minute(10), store: store() })
    const request = fakeRequest()
    check(createGuard({ limiter }), request)
    expect(check(createGuard({ limiter }), request).result).toMatchObject({ remaining: 9 })
  })

  it('but twice for two keys, and twice for two limiters', () => {
    const limiter = createLimiter({ limit: minute(10), store: store() })
    const request = fakeRequest()
    check(createGuard({ limiter, key: () => 'a' }), request)
    check(createGuard({ limiter, key: () => 'b' }), request)
    check(createGuard({ limit: minute(5), store: store() }), request)
    expect(limiter.peek('a')).toMatchObject({ remaining: 9 })
    expect(limiter.peek('b')).toMatchObject({ remaining: 9 })
    expect(rateLimitOf(request.carrier)).toMatchObject({ limit: 5, remaining: 4 })
  })

  it('the next request counts again', () => {
    const guard = createGuard({ limit: minute(10), store: store() })
    check(guard)
    expect(check(guard).result).toMatchObject({ remaining: 8 })
  })
})

it('a request without an address shares one bucket, with one warning', () => {
  const logger = { warn: vi.fn(), error: vi.fn() }
  const guard = createGuard({ limit: minute(3), store: store(), logger })
  const results = [1, 2].map(() => check(guard, fakeRequest({ peer: undefined })).result)
  expect(results).toMatchObject([{ key: 'no-address', remaining: 2 }, { remaining: 1 }])
  expect(logger.warn).toHaveBeenCalledOnce()
})
