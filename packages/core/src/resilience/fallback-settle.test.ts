import { beforeEach, describe, expect, it } from 'vitest'
import { type FailingStore, failingStore, NO_ANSWER } from '../../../../test/support/failing-store.js'
import { localStore } from '../memory/memory-store.js'
import type { Charge } from '../model/charge.js'
import type { Counted } from '../model/decision.js'
import type { RateLimitEvent } from '../model/event.js'
import { slidingWindow } from '../model/policy.js'
import { type Fallback, fallback } from './fallback.js'
import { Outage } from './outage.js'

const policies = [slidingWindow({ limit: 2, window: '1m' })]
const charges: readonly Charge[] = [{ limiter: 'api', key: 'ann', policies, costs: 1 }]
const subject = { limiter: 'api', key: 'ann', policies }

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

async function used(over: { consume: Fallback['consume'] }): Promise<number> {
  return ((await over.consume(charges, 'peek')) as Counted).used
}

describe('settle', () => {
  it.each([true, false])('of a local decision is local: store available %s', async (isAvailable) => {
    const over = safe(local())
    store.isAvailable = false
    const { receipt } = await ask(over)
    store.isAvailable = isAvailable
    events.length = 0
    await over.settle(receipt!, 0)
    store.isAvailable = false
    expect([await used(over), store.calls]).toEqual([0, []])
    expect(events.filter(({ type }) => type === 'settle-dropped')).toEqual([])
  })

  it('of a decision of the store never is', async () => {
    const over = safe(local())
    const { receipt } = await ask(over)
    store.isAvailable = false
    await ask(over)
    await over.settle(receipt!, 0)
    expect(await used(over)).toBe(1)
  })

  it('is dropped and told while the store is down, and not made up for later', async () => {
    const over = safe({ decided: 'open' })
    const { receipt } = await ask(over)
    store.isAvailable = false
    await over.settle(receipt!, 0)
    expect(events).toMatchObject([
      { type: 'settle-dropped', limiter: 'api', kind: 'down', error: { code: 'RL_STORE' } },
    ])
    store.isAvailable = true
    expect([await used(over), store.calls]).toEqual([1, ['ask', 'peek']])
  })

  it('that fails is told, and does not reject', async () => {
    const over = safe({ decided: 'open' })
    const { receipt } = await ask(over)
    store.state = 'fails'
    await over.settle(receipt!, 0)
    expect(events).toEqual([{ type: 'settle-dropped', limiter: 'api', kind: 'deadline', error: NO_ANSWER }])
  })
})

describe('reset', () => {
  it('forgets what the store counted, and what was counted here', async () => {
    const over = safe(local())
    await ask(over)
    store.isAvailable = false
    await ask(over)
    store.isAvailable = true
    await over.reset(subject)
    expect(await used(over)).toBe(0)
    store.isAvailable = false
    expect(await used(over)).toBe(0)
  })

  it('rejects when the store fails: it is not reset', async () => {
    store.state = 'fails'
    await expect(safe(local()).reset(subject)).rejects.toBe(NO_ANSWER)
    store.reset = () => {
      throw NO_ANSWER
    }
    await expect(safe(local()).reset(subject)).rejects.toBe(NO_ANSWER)
  })
})

describe('close', () => {
  it('closes what stands in, not the store', async () => {
    const standby = local()
    const over = safe(standby)
    store.isAvailable = false
    await ask(over)
    await over.close()
    store.isAvailable = true
    await ask(over)
    expect([standby.store.size, await used(over)]).toEqual([0, 1])
  })
})
