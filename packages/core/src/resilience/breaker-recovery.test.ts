import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { type FailingStore, failingStore } from '../../../../test/support/failing-store.js'
import type { Charge } from '../model/charge.js'
import type { RateLimitEvent } from '../model/event.js'
import { slidingWindow } from '../model/policy.js'
import type { Store } from '../model/store.js'
import { breaker } from './breaker.js'

const charges: readonly Charge[] = [
  { limiter: 'api', key: 'ann', policies: [slidingWindow({ limit: 5, window: '1m' })], costs: 1 },
]
const subject = { limiter: 'api', key: 'ann', policies: charges[0]!.policies }

let inner: FailingStore
let store: Store
let isReady: boolean
let events: RateLimitEvent[]
beforeEach(() => {
  vi.useFakeTimers()
  inner = failingStore()
  isReady = true
  events = []
  store = breaker(inner, {
    isReady: () => isReady,
    isOfOneKey: (error) => error === WRONG_TYPE,
    onEvent: (event) => events.push(event),
  })
})
afterEach(() => vi.useRealTimers())

const WRONG_TYPE = new Error('WRONGTYPE')

/** So many calls one after the other; how each ended. */
async function ask(times: number): Promise<string[]> {
  const ends: string[] = []
  for (let i = 0; i < times; i++) {
    try {
      await store.consume(charges, 'ask')
      ends.push('decided')
    } catch (error) {
      ends.push((error as Error).message.split(',')[0] as string)
    }
  }
  return ends
}

const FAILED = 'store: Redis gave no answer within 50 ms'
const NOT_SENT = 'store: is down'

async function open(): Promise<void> {
  inner.state = 'fails'
  await ask(5)
  inner.calls.length = 0
}

describe('an open breaker probes', () => {
  it('every 500 ms, with a peek: it asks what a failed call asked and charges nothing', async () => {
    await open()
    await vi.advanceTimersByTimeAsync(499)
    expect(inner.calls).toEqual([])
    await vi.advanceTimersByTimeAsync(1)
    expect(inner.calls).toEqual(['peek'])
    expect(inner.charges.at(-1)).toBe(charges)
    await vi.advanceTimersByTimeAsync(5000)
    expect(inner.calls).toEqual(Array.from({ length: 11 }, () => 'peek'))
  })

  it('with one call at a time: the next waits for the answer', async () => {
    await open()
    inner.state = 'silent'
    await vi.advanceTimersByTimeAsync(60_000)
    expect(inner.calls).toEqual(['peek'])
    await inner.answer('fails')
    await vi.advanceTimersByTimeAsync(499)
    expect(inner.calls).toEqual(['peek'])
    await vi.advanceTimersByTimeAsync(1)
    expect(inner.calls).toEqual(['peek', 'peek'])
  })

  it('a store that throws as well', async () => {
    await open()
    inner.consume = () => {
      throw new Error('no')
    }
    await vi.advanceTimersByTimeAsync(1000)
    expect(store.available?.()).toBe(false)
  })
})

describe('the breaker closes', () => {
  it('at the first probe that succeeds, without a stampede: no call has waited for it', async () => {
    await open()
    expect(await ask(1000)).toEqual(Array.from({ length: 1000 }, () => NOT_SENT))
    inner.state = 'works'
    await vi.advanceTimersByTimeAsync(500)
    expect([store.available?.(), inner.calls]).toEqual([true, ['peek']])
    expect(events.at(-1)).toEqual({ type: 'breaker', state: 'closed' })
    expect(await ask(1)).toEqual(['decided'])
    await vi.advanceTimersByTimeAsync(10_000)
    expect(inner.calls).toEqual(['peek', 'ask'])
  })

  it('at a probe that meets an error of one key: the store is well', async () => {
    await open()
    inner.consume = () => Promise.reject(WRONG_TYPE)
    await vi.advanceTimersByTimeAsync(500)
    expect(store.available?.()).toBe(true)
  })

  it('not for a call of before that succeeds late', async () => {
    inner.state = 'silent'
    const calls = Array.from({ length: 6 }, () => Promise.resolve(store.consume(charges, 'ask')))
    const ends = Promise.allSettled(calls)
    for (let i = 0; i < 5; i++) await inner.answer('fails')
    await inner.answer('works')
    expect((await ends).at(-1)?.status).toBe('fulfilled')
    expect(store.available?.()).toBe(false)
  })

  it('and stays so when calls of before fail late', async () => {
    inner.state = 'silent'
    const ends = Promise.allSettled(
      Array.from({ length: 20 }, () => Promise.resolve(store.consume(charges, 'ask'))),
    )
    for (let i = 0; i < 5; i++) await inner.answer('fails')
    inner.state = 'works'
    await vi.advanceTimersByTimeAsync(500)
    expect(store.available?.()).toBe(true)
    for (let i = 0; i < 15; i++) await inner.answer('fails')
    await ends
    expect(store.available?.()).toBe(true)
  })

  it('after 500 ms when only resets failed, which leave nothing to ask', async () => {
    inner.state = 'fails'
    for (let i = 0; i < 5; i++) await expect(store.reset(subject)).rejects.toThrow()
    await vi.advanceTimersByTimeAsync(500)
    expect([store.available?.(), inner.calls.filter((call) => call !== 'reset')]).toEqual([true, []])
  })

  it('needs five failures to open again', async () => {
    await open()
    inner.state = 'works'
    await vi.advanceTimersByTimeAsync(500)
    inner.state = 'fails'
    expect(await ask(6)).toEqual([FAILED, FAILED, FAILED, FAILED, FAILED, NOT_SENT])
  })
})
