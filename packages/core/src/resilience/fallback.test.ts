import { beforeEach, describe, expect, it } from 'vitest'
import { type FailingStore, failingStore, NO_ANSWER } from '../../../../test/support/failing-store.js'
import { localStore } from '../memory/memory-store.js'
import type { Charge } from '../model/charge.js'
import type { Counted, Decision } from '../model/decision.js'
import type { RateLimitEvent } from '../model/event.js'
import { slidingWindow } from '../model/policy.js'
import type { MaybePromise } from '../model/store.js'
import { type Fallback, fallback } from './fallback.js'
import { Outage } from './outage.js'

const policies = [slidingWindow({ limit: 2, window: '1m' })]
const charges: readonly Charge[] = [{ limiter: 'api', key: 'ann', policies, costs: 1 }]

const silent = { warn: () => {}, error: () => {} }
const local = () => ({ decided: 'local', store: localStore(silent) }) as const

let store: FailingStore
let events: RateLimitEvent[]
let outage: Outage
beforeEach(() => {
  store = failingStore()
  events = []
  outage = new Outage()
  outage.tell(silent)
})

function safe(standby: Parameters<typeof fallback>[1]['standby']): Fallback {
  return fallback(store, { standby, outage, onEvent: (event) => events.push(event) })
}

async function ask(over: Fallback): Promise<Counted> {
  return (await over.consume(charges, 'ask')) as Counted
}

describe('while the store works', () => {
  it('it decides, and nobody is told', async () => {
    const decision = await ask(safe(local()))
    expect(decision).toMatchObject({ counted: true, source: 'store', remaining: 1 })
    expect([store.calls, events, outage.isOn]).toEqual([['ask'], [], false])
  })
})

describe('a store that fails is stood in for', () => {
  beforeEach(() => {
    store.state = 'fails'
  })

  it('local: by the numbers of a limit in this process', async () => {
    const over = safe(local())
    expect([await ask(over), await ask(over), await ask(over)]).toMatchObject([
      { source: 'local', reason: 'ok', allowed: true, limit: 2, remaining: 1, used: 1, retryAfterMs: 0 },
      { source: 'local', reason: 'ok', allowed: true, limit: 2, remaining: 0, used: 2, retryAfterMs: 0 },
      { source: 'local', reason: 'limit', allowed: false, limit: 2, remaining: 0, used: 2, cost: 0 },
    ])
  })

  it.each([
    ['open', true],
    ['closed', false],
  ] as const)('%s: allowed %s, uncounted, without any number', async (decided, allowed) => {
    for (const mode of ['ask', 'peek', 'force'] as const) {
      expect(await safe({ decided }).consume(charges, mode)).toEqual({
        counted: false,
        allowed,
        source: decided,
        reason: 'store-failed',
      })
    }
  })

  it('at once, without asking, where it is known to be down', () => {
    store.isAvailable = false
    expect(safe(local()).consume(charges, 'ask')).toMatchObject({ source: 'local', remaining: 1 })
    expect(store.calls).toEqual([])
  })

  it('and every decision is told, with the limiter, the error and how it was decided', async () => {
    const over = safe({ decided: 'closed' })
    await ask(over)
    store.isAvailable = false
    await ask(over)
    expect(events).toEqual([
      { type: 'store-failure', limiter: 'api', kind: 'deadline', error: NO_ANSWER, decided: 'closed' },
      {
        type: 'store-failure',
        limiter: 'api',
        kind: 'down',
        error: expect.objectContaining({ message: 'store: is down, so it was not asked' }),
        decided: 'closed',
      },
    ])
  })

  it.each<[string, () => MaybePromise<Decision>, string]>([
    ['an error', () => Promise.reject(new Error('of the wire')), 'store: failed: Error: of the wire'],
    ['a text', () => Promise.reject('boom'), 'store: failed: boom'],
    ['nothing', () => Promise.reject(), 'store: failed: undefined'],
    [
      'what it throws',
      () => {
        throw new TypeError('x')
      },
      'store: failed: TypeError: x',
    ],
  ])('also where it fails with %s', async (_, consume, message) => {
    store.consume = consume
    expect(await ask(safe(local()))).toMatchObject({ source: 'local' })
    expect(events).toMatchObject([{ error: { code: 'RL_STORE', message } }])
  })
})

describe('an outage', () => {
  it('is over at the first decision of the store', async () => {
    const over = safe(local())
    store.isAvailable = false
    await ask(over)
    store.isAvailable = true
    await ask(over)
    expect(outage.isOn).toBe(false)
  })

  it('is not over at a late answer of a store that is known to be down', async () => {
    const over = safe(local())
    store.state = 'silent'
    const late = ask(over)
    store.isAvailable = false
    await ask(over)
    await store.answer('works')
    expect(await late).toMatchObject({ source: 'store' })
    expect(outage.isOn).toBe(true)
  })
})

describe('row 77: an answer that is no decision', () => {
  it.each([undefined, null, 0, -1, 1.5, '5', Number.NaN, {}])('%s: is a failure', async (answer) => {
    for (const given of [answer, Promise.resolve(answer)]) {
      store.consume = () => given as never
      expect(await ask(safe(local()))).toMatchObject({ source: 'local' })
    }
    const message = 'store: answered with something that is no decision'
    expect(events).toMatchObject([{ error: { code: 'RL_STORE', message } }, { error: { message } }])
  })
})
