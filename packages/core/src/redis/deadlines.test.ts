import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { Deadlines, type Waiting } from './deadlines.js'

let now = 0
let immediates: (() => void)[] = []
beforeEach(() => {
  now = 0
  immediates = []
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  vi.stubGlobal('setImmediate', (callback: () => void) => immediates.push(callback))
  vi.spyOn(performance, 'now').mockImplementation(() => now)
})
afterEach(() => {
  vi.restoreAllMocks()
  vi.unstubAllGlobals()
  vi.useRealTimers()
})

/** A turn of the event loop: timers that are due, a poll of I/O, immediates. */
function turn({ ms, poll = () => {} }: { readonly ms: number; readonly poll?: () => void }): void {
  now += ms
  vi.advanceTimersByTime(ms)
  poll()
  for (const callback of immediates.splice(0)) callback()
}

function pass(ms: number): void {
  for (let i = 0; i < ms; i++) turn({ ms: 1 })
}

function waitFor(deadlines: Deadlines): { readonly failedAt: readonly number[]; done(): void } {
  const failedAt: number[] = []
  const waiting: Waiting = { at: now + 50, done: false, fail: () => failedAt.push(now) }
  deadlines.start(waiting)
  return {
    failedAt,
    done() {
      waiting.done = true
    },
  }
}

describe('a call', () => {
  it('fails once, when its time is over', () => {
    const call = waitFor(new Deadlines(50))
    pass(49)
    expect(call.failedAt).toEqual([])
    pass(200)
    expect(call.failedAt).toEqual([50])
  })

  it('does not fail when it is done before', () => {
    const call = waitFor(new Deadlines(50))
    pass(49)
    call.done()
    pass(200)
    expect(call.failedAt).toEqual([])
  })

  it('is done when its answer is found in the poll of I/O after the timer: the loop was busy', () => {
    const call = waitFor(new Deadlines(50))
    turn({ ms: 80, poll: () => call.done() })
    expect(call.failedAt).toEqual([])
  })

  it('fails when its answer is not found there', () => {
    const call = waitFor(new Deadlines(50))
    turn({ ms: 80 })
    expect(call.failedAt).toEqual([80])
  })
})

describe('many calls', () => {
  it('have one timer', () => {
    const deadlines = new Deadlines(50)
    for (let i = 0; i < 1000; i++) waitFor(deadlines)
    expect(vi.getTimerCount()).toBe(1)
  })

  it('fail each at its own time', () => {
    const deadlines = new Deadlines(50)
    const first = waitFor(deadlines)
    pass(20)
    const second = waitFor(deadlines)
    pass(10)
    const third = waitFor(deadlines)
    pass(200)
    expect([first.failedAt, second.failedAt, third.failedAt]).toEqual([[50], [70], [80]])
  })

  it('that are done leave no timer behind', () => {
    const deadlines = new Deadlines(50)
    waitFor(deadlines).done()
    pass(60)
    expect(vi.getTimerCount()).toBe(0)
  })

  it('that are done are not kept until the timer, however long the deadline', async () => {
    const deadlines = new Deadlines(60_000)
    const first = new WeakRef(startAndEnd(deadlines))
    for (let i = 0; i < 5000; i++) startAndEnd(deadlines)
    vi.useRealTimers()
    await new Promise((resolve) => setTimeout(resolve))
    collectGarbage()
    expect(first.deref()).toBeUndefined()
    deadlines.close()
  })
})

function startAndEnd(deadlines: Deadlines): object {
  const waiting: Waiting = { at: now, done: false, fail: () => {} }
  deadlines.start(waiting)
  waiting.done = true
  return waiting
}

/** A worker of the test runner has no `gc` of its own. */
function collectGarbage(): void {
  setFlagsFromString('--expose-gc')
  runInNewContext('gc')()
}

describe('close', () => {
  it('stops the timer when nobody waits', () => {
    const deadlines = new Deadlines(50)
    waitFor(deadlines).done()
    deadlines.close()
    expect(vi.getTimerCount()).toBe(0)
  })

  it('leaves nobody waiting for ever', () => {
    const deadlines = new Deadlines(50)
    const call = waitFor(deadlines)
    deadlines.close()
    pass(60)
    expect(call.failedAt).toEqual([50])
  })

  it('may be called twice, and before any call', () => {
    const deadlines = new Deadlines(50)
    deadlines.close()
    deadlines.close()
    expect(vi.getTimerCount()).toBe(0)
  })
})
