import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { Settled } from '../memory/settled.js'
import type { Receipt } from '../model/charge.js'
import type { Debt } from '../model/debt.js'
import type { RateLimitEvent } from '../model/event.js'
import { fixedWindow, type Policy } from '../model/policy.js'
import type { Store } from '../model/store.js'
import { Repayment } from './repayment.js'
import { DOWN } from './store-error.js'

const hour: Policy = { ...fixedWindow({ limit: 100, window: '1h' }), name: '1h' }

/** A store that is repaid: each call waits for `answer`. */
function debtor() {
  const calls: { readonly debts: readonly Debt[]; readonly id: string }[] = []
  const waiting: ((how: number | Error) => void)[] = []
  const state = { isAvailable: true, most: 0, apart: false }
  const store = {
    available: () => state.isAvailable,
    together: (charges: readonly unknown[]) => !state.apart || charges.length === 1,
    repay(debts: readonly Debt[], id: string): Promise<number> {
      calls.push({ debts, id })
      return new Promise((resolve, reject) => {
        waiting.push((how) => (typeof how === 'number' ? resolve(how) : reject(how)))
        state.most = Math.max(state.most, waiting.length)
      })
    },
  }
  const turns = async () => {
    for (let turn = 0; turn < 20; turn++) await Promise.resolve()
  }
  const answer = async (how: number | Error = 0): Promise<number> => {
    const all = waiting.splice(0)
    for (const one of all) one(how)
    await turns()
    return all.length
  }
  /** Until nobody waits. */
  const answerAll = async (): Promise<void> => {
    while ((await answer()) > 0);
  }
  return { store: store as Partial<Store> as Store, calls, state, answer, answerAll }
}

let told: RateLimitEvent[]
let lines: string[]
let id = 0
beforeEach(() => {
  vi.useFakeTimers({ now: 0 })
  told = []
  lines = []
  id = 0
})
afterEach(() => vi.useRealTimers())

function open({ store }: Pick<ReturnType<typeof debtor>, 'store'>): Repayment {
  const settled = new Settled()
  return new Repayment(store, {
    limiter: 'api',
    logger: { warn: (line) => lines.push(line), error: (line) => lines.push(line) },
    onEvent: (event) => told.push(event),
    isFirst: (one) => settled.mark(one),
  })
}

function receipt(key: string, costs = 1): Receipt {
  return {
    store: 'local',
    id: ++id,
    at: Date.now(),
    charges: [{ limiter: 'api', key, policies: [hour], costs }],
  }
}

const costsOf = (debts: readonly Debt[]) =>
  debts.map(({ key, parts }) => [key, parts.flat().map(({ cost }) => cost)])

describe('repayment', () => {
  it('sums up a key, and tells how long ago the first was', async () => {
    const { store, calls, answerAll } = debtor()
    const repayment = open({ store })
    repayment.admitted(receipt('ann', 2))
    await vi.advanceTimersByTimeAsync(400)
    repayment.admitted(receipt('ann', 3))
    repayment.admitted(receipt('bob'))
    await vi.advanceTimersByTimeAsync(600)
    expect(calls).toMatchObject([
      {
        debts: [
          { limiter: 'api', key: 'ann', policies: [hour], parts: [[{ cost: 5 }]] },
          { key: 'bob', parts: [[{ cost: 1 }]] },
        ],
      },
    ])
    const [ago] = calls[0]!.debts.map(({ parts }) => parts[0]![0]!.agoMs)
    expect(ago).toBeGreaterThanOrEqual(500)
    expect(ago).toBeLessThanOrEqual(1000)
    await answerAll()
    expect(told).toEqual([{ type: 'repaid', limiter: 'api', decisions: 3, dropped: 0 }])
    expect(lines).toEqual(['[rl] limiter "api": 3 decisions made without the store are now charged to it'])
  })

  it('keeps eighths of a window apart, so that one that has ended is not charged into the next', async () => {
    const { store, calls } = debtor()
    const repayment = open({ store })
    vi.setSystemTime(3_599_999)
    repayment.admitted(receipt('ann', 2))
    vi.setSystemTime(3_600_000)
    repayment.admitted(receipt('ann', 3))
    await vi.advanceTimersByTimeAsync(1000)
    expect(costsOf(calls[0]!.debts)).toEqual([['ann', [2, 3]]])
  })

  it('asks no store that is down, and looks again until it is back', async () => {
    const { store, calls, state } = debtor()
    state.isAvailable = false
    open({ store }).admitted(receipt('ann'))
    await vi.advanceTimersByTimeAsync(60_000)
    expect(calls).toEqual([])
    state.isAvailable = true
    await vi.advanceTimersByTimeAsync(1000)
    expect(calls).toHaveLength(1)
  })

  it('sends 64 keys in a call, and four calls at once', async () => {
    const { store, calls, state, answerAll } = debtor()
    const repayment = open({ store })
    for (let i = 0; i < 1000; i++) repayment.admitted(receipt(`k${i}`))
    await vi.advanceTimersByTimeAsync(1000)
    await answerAll()
    expect(calls.map(({ debts }) => debts.length)).toEqual([...Array.from({ length: 15 }, () => 64), 40])
    expect(new Set(calls.map((call) => call.id)).size).toBe(16)
    expect(state.most).toBe(4)
    expect(told).toEqual([{ type: 'repaid', limiter: 'api', decisions: 1000, dropped: 0 }])
  })

  it('where keys are apart, sends each by itself', async () => {
    const { store, calls, state, answerAll } = debtor()
    state.apart = true
    const repayment = open({ store })
    for (const key of ['a', 'b', 'c']) repayment.admitted(receipt(key))
    await vi.advanceTimersByTimeAsync(1000)
    await answerAll()
    expect(calls.map(({ debts }) => costsOf(debts))).toEqual([[['a', [1]]], [['b', [1]]], [['c', [1]]]])
  })

  it('is made again under its id when it fails, until the store has forgotten that', async () => {
    const { store, calls, answer } = debtor()
    const repayment = open({ store })
    repayment.admitted(receipt('ann'))
    const fail = async (seconds: number): Promise<void> => {
      for (let second = 0; second < seconds; second++) {
        await vi.advanceTimersByTimeAsync(1000)
        await answer(new Error('gone'))
      }
    }
    await fail(535)
    expect(told).toEqual([])
    await fail(15)
    expect(calls.length).toBeGreaterThan(500)
    expect(new Set(calls.map((call) => call.id)).size).toBe(1)
    expect(told).toEqual([{ type: 'repaid', limiter: 'api', decisions: 0, dropped: 1 }])
    expect(lines).toEqual([
      '[rl] limiter "api": 0 decisions made without the store are now charged to it; 1 more are not and will not be',
    ])
  })

  it('that was never sent is kept for longer', async () => {
    const { store, calls, answer, answerAll } = debtor()
    open({ store }).admitted(receipt('ann'))
    for (let second = 0; second < 600; second++) {
      await vi.advanceTimersByTimeAsync(1000)
      await answer(DOWN)
    }
    await vi.advanceTimersByTimeAsync(1000)
    await answerAll()
    expect(told).toEqual([{ type: 'repaid', limiter: 'api', decisions: 1, dropped: 0 }])
    expect(calls.length).toBeGreaterThan(500)
  })

  it('remembers 10,000 keys: what one more admits is dropped and told, what a known one does is not', async () => {
    const { store, answerAll } = debtor()
    const repayment = open({ store })
    for (let i = 0; i < 10_003; i++) repayment.admitted(receipt(`k${i}`))
    for (let i = 0; i < 10; i++) repayment.admitted(receipt('k0'))
    await vi.advanceTimersByTimeAsync(1000)
    await answerAll()
    expect(told).toEqual([{ type: 'repaid', limiter: 'api', decisions: 10_010, dropped: 3 }])
  })

  it('tells at most every five seconds', async () => {
    const { store, answerAll } = debtor()
    const repayment = open({ store })
    for (let second = 0; second < 10; second++) {
      repayment.admitted(receipt('ann'))
      await vi.advanceTimersByTimeAsync(1000)
      await answerAll()
    }
    expect(told.length).toBeLessThanOrEqual(3)
    await vi.advanceTimersByTimeAsync(10_000)
    const decisions = told.map((event) => (event.type === 'repaid' ? event.decisions : 0))
    expect(decisions.reduce((a, b) => a + b)).toBe(10)
    expect(vi.getTimerCount()).toBe(0)
  })

  it('ends with its limiter: no timer, no call, and what it owed is told', () => {
    const { store, calls } = debtor()
    const repayment = open({ store })
    repayment.admitted(receipt('ann'))
    repayment.close()
    repayment.close()
    repayment.admitted(receipt('bob'))
    expect(vi.getTimerCount()).toBe(0)
    expect([calls, told]).toEqual([[], [{ type: 'repaid', limiter: 'api', decisions: 0, dropped: 1 }]])
  })

  it('of a limiter that is closed while a call is under way makes no other', async () => {
    const { store, calls, answerAll } = debtor()
    const repayment = open({ store })
    for (let i = 0; i < 300; i++) repayment.admitted(receipt(`k${i}`))
    await vi.advanceTimersByTimeAsync(1000)
    repayment.close()
    await answerAll()
    await vi.advanceTimersByTimeAsync(10_000)
    expect(calls).toHaveLength(4)
    expect(told).toEqual([{ type: 'repaid', limiter: 'api', decisions: 0, dropped: 300 }])
  })

  it('leaves out a key that was reset, also in a call that is made again', async () => {
    const { store, calls, answer } = debtor()
    const repayment = open({ store })
    for (const key of ['ann', 'bob']) repayment.admitted(receipt(key))
    await vi.advanceTimersByTimeAsync(1000)
    repayment.forget('api', 'ann')
    await answer(new Error('gone'))
    repayment.admitted(receipt('eve'))
    repayment.forget('api', 'eve')
    await vi.advanceTimersByTimeAsync(1000)
    expect(costsOf(calls.at(-1)!.debts)).toEqual([
      ['ann', []],
      ['bob', [1]],
    ])
  })
})

describe('a settlement of what is owed', () => {
  const decided = (costs: number) => receipt('ann', costs)

  it('takes from it, or adds to it, once', async () => {
    const { store, calls } = debtor()
    const repayment = open({ store })
    const [less, more] = [decided(5), decided(5)]
    for (const one of [less, more]) repayment.admitted(one)
    expect([less, more, less].map((one) => repayment.correct(one, one === less ? 2 : 9))).toEqual([
      true,
      true,
      true,
    ])
    await vi.advanceTimersByTimeAsync(1000)
    expect(costsOf(calls[0]!.debts)).toEqual([['ann', [11]]])
  })

  it('takes nothing of what came after it was taken out', async () => {
    const { store, calls, answer } = debtor()
    const repayment = open({ store })
    const first = decided(5)
    repayment.admitted(first)
    await vi.advanceTimersByTimeAsync(1000)
    await answer()
    repayment.admitted(decided(5))
    expect(repayment.correct(first, 0)).toBe(false)
    await vi.advanceTimersByTimeAsync(1000)
    expect(costsOf(calls[1]!.debts)).toEqual([['ann', [5]]])
  })
})
