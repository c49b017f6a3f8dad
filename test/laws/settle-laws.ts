import { expect } from 'vitest'
import { anyTime, type Law, later, steadyTime, view, viewOn } from './law.js'

/** What every correction of a charge keeps. */
export const SETTLE_LAWS: readonly Law[] = [
  {
    title: 'what was charged too little is charged now, as a debt',
    ...anyTime,
    holds({ policy, subject, twin, before, now, cost }) {
      subject.settle(now, before, cost + 1)
      twin.force(now, cost + 1)
      expect(view(subject, policy, now)).toEqual(view(twin, policy, now))
    },
  },
  {
    title: 'what was charged too much and given back at once was never charged',
    ...steadyTime,
    holds({ policy, subject, twin, now, cost }) {
      const { remaining } = subject.peek(now, 0)
      const kept = Math.min(cost, remaining)
      subject.ask(now, remaining)
      subject.settle(now, now, kept - remaining)
      twin.ask(now, kept)
      expect(viewOn(subject, policy, now)).toEqual(viewOn(twin, policy, now))
    },
  },
  {
    title: 'nothing comes back once the full limit was back',
    ...steadyTime,
    holds({ policy, subject, twin, now, cost }) {
      for (const each of [subject, twin]) each.force(now, cost + 1)
      const then = later(now, Number(subject.peek(now, 0).resetAfterMs))
      for (const each of [subject, twin]) each.ask(then, policy.limit)
      subject.settle(then, now, -cost - 1)
      expect(viewOn(subject, policy, then)).toEqual(viewOn(twin, policy, then))
    },
  },
  {
    title: 'giving back lifts what remains to the limit and no further',
    ...anyTime,
    holds({ policy, subject, before, now, cost }) {
      const { remaining } = subject.peek(now, 0)
      subject.settle(now, before, -cost - policy.limit)
      const after = subject.peek(now, 0)
      expect(after.remaining).toBeGreaterThanOrEqual(remaining)
      expect(after.remaining).toBeLessThanOrEqual(policy.limit)
      expect(after.resetAfterMs).toBeGreaterThanOrEqual(0)
    },
  },
]
