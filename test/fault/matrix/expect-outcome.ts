import { expect } from 'vitest'
import type { Phase, Tallies, Tally } from './decider.js'
import type { Fault } from './fault.js'
import type { Ended } from './load.js'
import type { Outcome } from './run-fault.js'

/** Of `redisStore`, by default. */
export const DEADLINE_MS = 50
const PHASES: readonly Phase[] = ['before', 'breaking', 'lasting', 'ending', 'after']
/** Ten of a decider's are under way when the deadline of the first is over; five more until the breaker opens. */
const PAYING = 15
const SENT = { connections: 12, scriptCalls: 30 }
/** ioredis keeps a connection that it closes for two seconds, if the other side says nothing. */
const EXIT_MS = 3000

type Decided = Ended['deciders'][number]

/** Holds a row to all that is promised for it. */
export function expectOutcome({ fault, load, leaver, sent, isBack }: Outcome): void {
  for (const ended of [load, leaver]) {
    expect(ended, 'no promise was left to itself').toMatchObject({ unhandled: 0, exitCode: 0 })
    expect(ended.exitMs, 'closed, the process ends').toBeLessThanOrEqual(EXIT_MS + ended.maxDelayMs)
    for (const decided of ended.deciders) expectDecisions(decided, ended.maxDelayMs)
  }
  expect(isBack, 'the store decides again').toBe(true)
  for (const decided of load.deciders) {
    expectDecider(fault, decided)
    expectWaits(fault, decided, load.maxDelayMs)
    expectCounter(fault, decided)
    const { backWithinMs = 1500 } = fault
    // A handshake, and a probe.
    expect(decided.backMs).toBeLessThanOrEqual(backWithinMs + load.maxDelayMs + 100)
  }
  const { connections, scriptCalls } = { ...SENT, ...fault.sends }
  expect(sent.connections).toBeLessThanOrEqual(connections)
  expect(sent.scriptCalls).toBeLessThanOrEqual(scriptCalls)
}

function expectDecisions({ tallies, unsettled, dishonest, lines }: Decided, maxDelayMs: number): void {
  expect({ unsettled, dishonest }).toEqual({ unsettled: 0, dishonest: 0 })
  // One stall is in the largest; where two fall into one decision, its own count.
  const longest = PHASES.map((phase) => tallies[phase])
  const isInTime = longest.every(
    ({ longestMs, longestAwakeMs }) =>
      longestMs <= DEADLINE_MS + maxDelayMs + 20 || longestAwakeMs <= DEADLINE_MS + 20,
  )
  expect(isInTime, JSON.stringify({ longest, maxDelayMs })).toBe(true)
  // In ten seconds there is room for two of a kind.
  for (const said of ['the store fails', 'still fails', 'works again']) {
    expect(lines.filter((line) => line.includes(said)).length, lines.join('\n')).toBeLessThanOrEqual(2)
  }
}

/** How many decisions waited for the deadline. Of a store that is asked all the time, a few do on a full machine. */
function expectWaits({ waits }: Fault, { tallies }: Decided, maxDelayMs: number): void {
  const waited = sum(tallies, 'paid', 'breaking', 'lasting')
  const { before, lasting } = tallies
  if (waits === undefined) expect(waited).toBeLessThanOrEqual(2 + lasting.decisions / 20)
  else expect(waited).toBeLessThanOrEqual(PAYING + maxDelayMs / 10)
  // Where the machine was so full that the breaker had to do with it before, it may have been open already.
  if (waits === 'always' && before.unanswered === 0) expect(waited).toBeGreaterThan(0)
}

/**
 * Who decides while it lasts. A few are under way when it begins. Of a store that is well nothing comes back as a failure
 * but what is late, on a full machine.
 */
function expectDecider({ decidedBy }: Fault, { tallies: { lasting } }: Decided): void {
  const stoodIn = lasting.decisions - lasting.stored
  if (decidedBy === 'stand-in') expect(lasting.stored).toBeLessThanOrEqual(3)
  if (decidedBy === 'store') {
    expect(lasting.unanswered).toBe(lasting.paid)
    expect(lasting.stored).toBeGreaterThan(lasting.decisions / 2)
  }
  if (decidedBy === 'both') expect(Math.min(stoodIn, lasting.stored)).toBeGreaterThan(lasting.decisions / 50)
}

/**
 * The counter has every charge that the store's answers allowed. It may have more: calls that ran in time and whose answer
 * never came, at most once each. Where the fault lets no call run without an answer, those can only be calls that it met on
 * their way back, and calls that were late on a full machine, before it and after it.
 */
function expectCounter({ losesCounts, runsUnanswered }: Fault, { tallies, counter }: Decided): void {
  const counting: readonly Phase[] = losesCounts ? ['after'] : PHASES
  const above = (counter ?? Number.NaN) - sum(tallies, 'allowed', ...counting)
  expect(above).toBeGreaterThanOrEqual(0)
  expect(above).toBeLessThanOrEqual(sum(tallies, 'unanswered', ...counting))
  if (runsUnanswered) expect(above).toBeGreaterThan(0)
  else expect(above).toBeLessThanOrEqual(3 + sum(tallies, 'unanswered', 'before', 'ending', 'after'))
}

/** A count, over some phases. */
export function sum(tallies: Tallies, of: keyof Tally, ...phases: readonly Phase[]): number {
  return phases.reduce((total, phase) => total + tallies[phase][of], 0)
}
