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
const receipt = { store: 'other', id: 1, at: 0, charges }

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

describe('the breaker opens', () => {
  it('after five failures in a row: the sixth call is not sent', async () => {
    inner.state = 'fails'
    expect(await ask(6)).toEqual([FAILED, FAILED, FAILED, FAILED, FAILED, NOT_SENT])
    expect(inner.calls).toHaveLength(5)
    expect(store.available?.()).toBe(false)
    expect(events).toEqual([{ type: 'breaker', state: 'open' }])
  })

  it('not after four: a success begins the count anew', async () => {
    for (const state of ['fails', 'works', 'fails'] as const) {
      inner.state = state
      await ask(state === 'works' ? 1 : 4)
    }
    expect([store.available?.(), inner.calls.length, events]).toEqual([true, 9, []])
  })

  it('for failures of settle and reset too', async () => {
    inner.state = 'fails'
    const calls = [() => store.settle(receipt, 0), () => store.reset(subject)]
    for (const call of [...calls, ...calls])
      await expect(call()).rejects.toMatchObject({ code: 'RL_DEADLINE' })
    expect(store.available?.()).toBe(true)
    await ask(1)
    expect(store.available?.()).toBe(false)
  })

  it('not for an error that speaks of one key, however often', async () => {
    inner.consume = () => Promise.reject(WRONG_TYPE)
    expect(await ask(20)).toEqual(Array.from({ length: 20 }, () => 'WRONGTYPE'))
    expect(store.available?.()).toBe(true)
  })
})

describe('a client that is not ready', () => {
  it('is sent nothing, until it is', async () => {
    isReady = false
    expect([store.available?.(), await ask(3), inner.calls]).toEqual([
      false,
      [NOT_SENT, NOT_SENT, NOT_SENT],
      [],
    ])
    isReady = true
    expect(await ask(1)).toEqual(['decided'])
  })

  it('is not probed, until it is', async () => {
    await open()
    isReady = false
    await vi.advanceTimersByTimeAsync(10_000)
    expect(inner.calls).toEqual([])
    isReady = true
    await vi.advanceTimersByTimeAsync(500)
    expect(inner.calls).toEqual(['peek'])
  })
})

describe('close()', () => {
  it('ends the probes', async () => {
    await open()
    await store.close()
    expect(vi.getTimerCount()).toBe(0)
  })

  it('ends them also while one is under way', async () => {
    await open()
    inner.state = 'silent'
    await vi.advanceTimersByTimeAsync(500)
    await store.close()
    await inner.answer('fails')
    expect([inner.calls, vi.getTimerCount()]).toEqual([['peek'], 0])
  })

  it('lets no later failure begin them', async () => {
    await store.close()
    await open()
    expect(vi.getTimerCount()).toBe(0)
  })
})

describe('a store that answers at once', () => {
  it('is answered at once', () => {
    const decision = { counted: false, allowed: true, source: 'none', reason: 'disabled' } as const
    inner.consume = () => decision
    expect(store.consume(charges, 'ask')).toBe(decision)
  })

  it.each([true, false, undefined])('takes charges together: %s', (together) => {
    if (together !== undefined) inner.together = () => together
    expect(store.together?.(charges)).toBe(together !== false)
  })
})

it('a reset that nobody waits for does not fail unheard', async () => {
  vi.useRealTimers()
  inner.state = 'fails'
  const unheard = vi.fn()
  process.on('unhandledRejection', unheard)
  void store.reset(subject)
  await new Promise((resolve) => setTimeout(resolve, 10))
  process.off('unhandledRejection', unheard)
  expect(unheard).toHaveBeenCalledOnce()
})
