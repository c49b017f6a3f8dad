import { channel, subscribe, unsubscribe } from 'node:diagnostics_channel'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { failingStore } from '../../../test/support/failing-store.js'
import { consumeAll } from './consume-all.js'
import { createLimiter } from './limiter.js'
import { memoryStore } from './memory/memory-store.js'
import type { Decision } from './model/decision.js'
import type { DecisionEvent, RateLimitEvent } from './model/event.js'
import type { Store } from './model/store.js'

const silent = { warn: () => {}, error: () => {} }
const stops: (() => void)[] = []
afterEach(() => {
  vi.restoreAllMocks()
  for (const stop of stops.splice(0)) stop()
})

function listen<T>(name: string): T[] {
  const events: T[] = []
  const hear = (event: unknown) => void events.push(event as T)
  subscribe(name, hear)
  stops.push(() => unsubscribe(name, hear))
  return events
}

const decisions = () => listen<DecisionEvent>('rl:decision')

/** A key that must not be seen anywhere. */
const KEY = 'ann@example.org'

describe('rl:decision', () => {
  it('tells who decided, how, and how each policy stands', () => {
    const store = memoryStore()
    const limiter = createLimiter({ name: 'api', limit: { burst: '1/1s', daily: '5/1d' }, store })
    const events = decisions()
    void limiter.consume(KEY)
    void limiter.consume(KEY)
    const told = { limiter: 'api', mode: 'ask', source: 'store', policy: 'burst', store }
    expect(events).toMatchObject([
      { ...told, allowed: true, reason: 'ok', policies: [{ policy: 'burst' }, { policy: 'daily' }] },
      {
        ...told,
        allowed: false,
        reason: 'limit',
        policies: [
          { policy: 'burst', allowed: false },
          { policy: 'daily', allowed: true },
        ],
      },
    ])
  })

  it('holds the key nowhere', () => {
    const limiter = createLimiter({ limit: '1/1m', store: memoryStore() })
    const events = decisions()
    void limiter.consume(KEY)
    void limiter.consume(KEY)
    const { store: _, ...told } = events[0] as DecisionEvent
    expect(JSON.stringify([told, events[1]])).not.toContain(KEY)
  })

  it('tells which way it was asked', () => {
    const limiter = createLimiter({ limit: '9/1m' })
    const events = decisions()
    void limiter.peek(KEY)
    void limiter.charge(KEY)
    expect(events.map(({ mode }) => mode)).toEqual(['peek', 'force'])
  })

  it('tells of a decision that counted nothing without numbers', async () => {
    const store = failingStore()
    store.state = 'fails'
    const limiter = createLimiter({
      name: 'api',
      limit: '9/1m',
      store,
      onStoreFailure: 'closed',
      logger: silent,
    })
    const events = decisions()
    await limiter.consume(KEY)
    expect(events).toMatchObject([
      { limiter: 'api', allowed: false, source: 'closed', reason: 'store-failed', policies: [] },
    ])
    expect(events[0]?.policy).toBeUndefined()
    await limiter.close()
  })

  it('tells of one decision of several limiters once, under the one that decided', () => {
    const store = memoryStore()
    const user = createLimiter({ name: 'user', limit: '5/1m', store })
    const all = createLimiter({ name: 'all', limit: '2/1m', store })
    const events = decisions()
    void consumeAll([
      { limiter: user, key: KEY },
      { limiter: all, key: 'everyone' },
    ])
    expect(events).toMatchObject([{ limiter: 'all', policy: '1m' }])
    expect(events[0]?.policies.map(({ limiter }) => limiter)).toEqual(['user', 'all'])
  })

  it('has the time that a store took; of a memory store’s first and every 1024th decision after it', async () => {
    const waiting = createLimiter({ limit: '999/1m', store: failingStore(), logger: silent })
    const inMemory = createLimiter({ limit: '9999/1m' })
    const events = decisions()
    await waiting.consume(KEY)
    await waiting.consume(KEY)
    expect(events.map(({ durationMs }) => (durationMs ?? -1) >= 0)).toEqual([true, true])
    for (let i = 0; i < 2049; i++) void inMemory.consume(KEY)
    const timed = events.slice(2).flatMap(({ durationMs }, i) => (durationMs === undefined ? [] : i))
    expect(timed).toEqual([0, 1024, 2048])
  })

  it('does not change what the caller gets', async () => {
    const limiter = createLimiter({ limit: '2/1m', store: failingStore(), logger: silent })
    decisions()
    expect(await limiter.consume(KEY)).toMatchObject({ allowed: true, remaining: 1 })
    const inMemory = createLimiter({ limit: '2/1m' }).consume(KEY) as Decision
    expect(inMemory).toMatchObject({ allowed: true, remaining: 1 })
  })
})

describe('rl:store', () => {
  it('tells what onEvent hears, of limiters that have none', async () => {
    const store = failingStore()
    const limiter = createLimiter({ name: 'api', limit: '5/1m', store, logger: silent })
    const events = listen<RateLimitEvent>('rl:store')
    const decision = await limiter.consume(KEY)
    store.state = 'fails'
    await limiter.consume(KEY)
    store.isAvailable = false
    await limiter.refund(decision)
    await limiter.consume(KEY)
    expect(events).toMatchObject([
      { type: 'outage' },
      { type: 'store-failure', limiter: 'api', kind: 'deadline', decided: 'local' },
      { type: 'settle-dropped', limiter: 'api', kind: 'down' },
      { type: 'store-failure', limiter: 'api', kind: 'down', decided: 'local' },
    ])
    await limiter.close()
  })
})

describe('while nobody listens', () => {
  it('nothing is published, no clock is read and no event is made', () => {
    const published = ['rl:decision', 'rl:store'].map((name) => vi.spyOn(channel(name), 'publish'))
    const clock = vi.spyOn(performance, 'now')
    const decision = watched()
    const limiter = createLimiter({ limit: '5/1m', store: storeOf(decision.value), logger: silent })
    expect(limiter.consume(KEY)).toBe(decision.value)
    expect(consumeAll([{ limiter, key: KEY }])).toBe(decision.value)
    expect(decision.read).not.toContain('reason')
    expect(published.map((publish) => publish.mock.calls.length)).toEqual([0, 0])
    expect(clock).not.toHaveBeenCalled()
  })

  it('that is seen by the same means as soon as somebody does', () => {
    decisions()
    const published = vi.spyOn(channel('rl:decision'), 'publish')
    const clock = vi.spyOn(performance, 'now')
    const decision = watched()
    void createLimiter({ limit: '5/1m', store: storeOf(decision.value), logger: silent }).consume(KEY)
    expect(decision.read).toContain('reason')
    expect(published).toHaveBeenCalledOnce()
    expect(clock).toHaveBeenCalledTimes(2)
  })

  it('of a failure no event is made either', () => {
    const store = failingStore()
    store.isAvailable = false
    const limiter = createLimiter({ limit: '5/1m', store, onStoreFailure: 'open', logger: silent })
    void limiter.consume(KEY)
    const published = vi.spyOn(channel('rl:store'), 'publish')
    void limiter.consume(KEY)
    expect(published).not.toHaveBeenCalled()
  })
})

/** A decision that knows which of its fields were read: an event is made of `reason`, nothing else looks at it. */
function watched(): { readonly value: Decision; readonly read: string[] } {
  const read: string[] = []
  const decided: Decision = { counted: false, allowed: true, source: 'mine', reason: 'mine' }
  const value = new Proxy(decided, {
    get(target, name) {
      read.push(String(name))
      return Reflect.get(target, name)
    },
  })
  return { value, read }
}

function storeOf(decision: Decision): Store {
  return { consume: () => decision, settle: () => {}, reset: () => {}, close: () => {} }
}
