import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { RateLimitError } from '../model/errors.js'
import type { RateLimitEvent } from '../model/event.js'
import { Outage } from './outage.js'

let outage: Outage
let lines: string[]
let events: RateLimitEvent[]
let leave: () => void
beforeEach(() => {
  vi.useFakeTimers()
  lines = []
  events = []
  outage = new Outage()
  leave = outage.tell(logger, onEvent)
})
afterEach(() => vi.useRealTimers())

const logger = {
  warn: (line: string) => void lines.push(`warn ${line}`),
  error: (line: string) => void lines.push(`error ${line}`),
}
const onEvent = (event: RateLimitEvent) => void events.push(event)
const error = new RateLimitError('RL_DEADLINE', 'store: Redis gave no answer within 50 ms')

function fail(times = 1, isDown = false): void {
  for (let i = 0; i < times; i++) outage.failed(error, 'local', isDown)
}

function pass(ms: number): void {
  vi.advanceTimersByTime(ms)
}

describe('listeners', () => {
  it('are told of the beginning and the end', () => {
    fail(7, true)
    pass(2000)
    outage.succeeded()
    expect(events).toEqual([
      { type: 'outage', error },
      { type: 'recovered', afterMs: 2000, decided: { local: 7, open: 0, closed: 0 } },
    ])
  })

  it('that limiters share hear it once, until the last limiter is closed', () => {
    const leaveToo = outage.tell(logger, onEvent)
    fail(1, true)
    expect(events).toHaveLength(1)
    leaveToo()
    expect(outage.isOn).toBe(true)
    outage.succeeded()
    expect(events).toHaveLength(2)
  })

  it.each([
    [
      'throws',
      () => {
        throw new Error('of the listener')
      },
    ],
    ['rejects', () => Promise.reject(new Error('of the listener'))],
  ])('one that %s keeps nobody from hearing, and is logged once', async (_, broken) => {
    outage = new Outage()
    outage.tell(logger, broken)
    outage.tell(logger, onEvent)
    fail(1, true)
    outage.succeeded()
    await Promise.resolve()
    expect(events.map(({ type }) => type)).toEqual(['outage', 'recovered'])
    expect(lines.filter((line) => line.includes('onEvent threw'))).toEqual([
      'error [rl] onEvent threw, which is logged this once only: Error: of the listener',
    ])
  })

  it('hear also when the logger throws', () => {
    outage = new Outage()
    const broken = () => {
      throw new Error('of the logger')
    }
    outage.tell({ warn: broken, error: broken }, onEvent)
    fail(2, true)
    pass(5000)
    outage.succeeded()
    expect(events.map(({ type }) => type)).toEqual(['outage', 'recovered'])
  })
})

describe('when the last limiter is closed', () => {
  it('no timer is left, and nothing more is said', () => {
    fail(1, true)
    leave()
    expect([outage.isOn, vi.getTimerCount()]).toEqual([false, 0])
    fail(1, true)
    expect([outage.isOn, vi.getTimerCount(), lines.length]).toEqual([false, 0, 1])
  })

  it('a second call changes nothing for the others', () => {
    const leaveToo = outage.tell(logger, onEvent)
    leaveToo()
    leaveToo()
    fail(1, true)
    expect(events).toHaveLength(1)
  })
})
