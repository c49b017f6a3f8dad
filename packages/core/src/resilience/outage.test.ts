import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { RateLimitError } from '../model/errors.js'
import type { RateLimitEvent } from '../model/event.js'
import { Outage } from './outage.js'

let outage: Outage
let lines: string[]
let events: RateLimitEvent[]
beforeEach(() => {
  vi.useFakeTimers()
  lines = []
  events = []
  outage = new Outage()
  outage.tell(logger, onEvent)
})
afterEach(() => vi.useRealTimers())

const logger = {
  warn: (line: string) => void lines.push(`warn ${line}`),
  error: (line: string) => void lines.push(`error ${line}`),
}
const onEvent = (event: RateLimitEvent) => void events.push(event)
const error = new RateLimitError('RL_DEADLINE', 'store: Redis gave no answer within 50 ms')

const BEGIN = `error [rl] the store fails; decisions are now by a limit in this process. ${error.message}`

function fail(times = 1, isDown = false): void {
  for (let i = 0; i < times; i++) outage.failed(error, 'local', isDown)
}

function pass(ms: number): void {
  vi.advanceTimersByTime(ms)
}

describe('the log has', () => {
  it('a line when it begins, one every five seconds with the number since the last, one when it is over', () => {
    fail(1001, true)
    expect(lines).toEqual([BEGIN])
    pass(4999)
    expect(lines).toHaveLength(1)
    pass(1)
    fail(500, true)
    pass(5000)
    pass(2400)
    outage.succeeded()
    expect(lines.slice(1)).toEqual([
      'error [rl] the store still fails: 1000 decisions without it since the last line',
      'error [rl] the store still fails: 500 decisions without it since the last line',
      'warn [rl] the store works again after 12.4 s. Meanwhile decided: 1501 by a limit in this process',
    ])
  })

  it('what was decided how', () => {
    for (const decided of ['closed', 'open', 'open', 'local', 'local', 'local'] as const)
      outage.failed(error, decided, true)
    outage.succeeded()
    expect(lines).toEqual([
      `error [rl] the store fails; decisions are now closed (refused). ${error.message}`,
      'warn [rl] the store works again after 0.0 s. Meanwhile decided: ' +
        '3 by a limit in this process, 2 open (allowed uncounted), 1 closed (refused)',
    ])
  })

  it('one line of an error that quotes several, or what no terminal should see', () => {
    const quoting = new RateLimitError('RL_STORE', 'store: failed: a\nb\u0000c\u2028d\u001b[2J')
    outage.failed(quoting, 'open', true)
    expect(lines[0]).toMatch(/ store: failed: a b c d \[2J$/)
  })

  it('how many charges were left as they were, since the last time', () => {
    fail(1, true)
    for (let i = 0; i < 3; i++) outage.settleDropped(error)
    outage.succeeded()
    expect(lines).toHaveLength(2)
    expect(lines.at(-1)).toMatch(/ 1 by a limit in this process\. Charges left uncorrected: 3$/)
    pass(5000)
    fail(1, true)
    outage.succeeded()
    expect(lines.at(-1)).toMatch(/ 1 by a limit in this process$/)
  })

  it('a line at once of a settlement that was dropped outside of an outage, then one every five seconds', () => {
    const dropped = (count: number) =>
      `warn [rl] settlements dropped, charges left uncorrected: ${count}. ${error.message}`
    outage.settleDropped(error)
    expect(lines).toEqual([dropped(1)])
    for (let i = 0; i < 100; i++) outage.settleDropped(error)
    pass(4999)
    expect(lines).toHaveLength(1)
    pass(1)
    expect(lines).toEqual([dropped(1), dropped(100)])
    pass(60_000)
    expect(lines).toHaveLength(2)
    expect(vi.getTimerCount()).toBe(0)
  })

  it('each dropped settlement once, also where an outage begins meanwhile', () => {
    for (let i = 0; i < 3; i++) outage.settleDropped(error)
    fail(1, true)
    pass(6000)
    outage.succeeded()
    const counts = lines.map((line) => Number(/uncorrected: (\d+)/.exec(line)?.[1] ?? 0))
    expect(counts).toEqual([1, 0, 2])
    expect(vi.getTimerCount()).toBe(0)
  })

  it('no line of dropped settlements when all limiters are closed, and no timer', () => {
    const one = new Outage()
    const leave = one.tell(logger)
    one.settleDropped(error)
    one.settleDropped(error)
    leave()
    one.settleDropped(error)
    pass(60_000)
    expect(lines).toHaveLength(1)
    expect(vi.getTimerCount()).toBe(0)
  })

  it('no line in the five seconds in which nobody asked', () => {
    fail(1, true)
    pass(3_600_000)
    expect(lines).toEqual([BEGIN])
    outage.succeeded()
    expect(lines[1]).toMatch(/works again after 3600\.0 s/)
  })

  it('two lines of a single failure: it is over when nothing failed for five seconds', () => {
    fail()
    outage.succeeded()
    pass(5000)
    expect(lines).toEqual([
      BEGIN,
      'warn [rl] the store works again after 0.0 s. Meanwhile decided: 1 by a limit in this process',
    ])
    expect(vi.getTimerCount()).toBe(0)
  })

  it('no recovery as long as nothing was heard of the store but failures', () => {
    for (let i = 0; i < 6; i++) {
      fail()
      pass(10_000)
    }
    expect(lines).toEqual([
      BEGIN,
      ...Array.from({ length: 5 }, () => expect.stringContaining('still fails: 1 decisions')),
    ])
  })
})

describe('a store that fails on and off', () => {
  it('does not flood the log: a minute, up and down ten times a second', () => {
    for (let i = 0; i < 600; i++) {
      fail(3, true)
      pass(50)
      outage.succeeded()
      pass(50)
    }
    expect(lines.filter((line) => line.includes('the store fails'))).toHaveLength(1)
    expect(lines.filter((line) => line.includes('works again'))).toHaveLength(1)
    expect(lines.filter((line) => line.includes('still fails'))).toHaveLength(11)
  })

  it('is over when it has not failed for five seconds, and every decision is in a line', () => {
    for (let i = 0; i < 100; i++) {
      fail(3, true)
      pass(50)
      outage.succeeded()
      pass(50)
    }
    pass(10_000)
    const counts = lines.map((line) => Number(/decided: (\d+)/.exec(line)?.[1] ?? 0))
    expect(lines.at(-1)).toMatch(/works again/)
    expect(counts.reduce((sum, count) => sum + count)).toBe(300)
    expect(vi.getTimerCount()).toBe(0)
  })

  it('has lines of its own again when it fails five seconds later', () => {
    for (let i = 0; i < 3; i++) {
      fail(1, true)
      outage.succeeded()
      pass(5000)
    }
    expect(lines.map((line) => line.slice(0, 30))).toEqual(
      Array.from({ length: 3 }, () => [BEGIN.slice(0, 30), 'warn [rl] the store works agai']).flat(),
    )
  })
})
