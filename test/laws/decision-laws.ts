import { expect } from 'vitest'
import { gapsBack, histories } from './histories.js'
import { anyTime, type Law, later, view } from './law.js'
import type { Standing } from './subjects.js'

/** What every decision keeps. */
export const DECISION_LAWS: readonly Law[] = [
  {
    title: 'a refused cost passes after exactly its wait, and never when it is above the limit',
    ...anyTime,
    holds({ policy, subject, now, cost }) {
      const { allowed, retryAfterMs } = subject.ask(now, cost)
      expect(retryAfterMs === null).toBe(cost > policy.limit)
      expect(retryAfterMs === 0).toBe(allowed)
      if (allowed || retryAfterMs === null) return
      const then = later(now, retryAfterMs)
      expect(subject.peek(then - 1, cost).allowed).toBe(false)
      expect(subject.peek(then, cost).allowed).toBe(true)
    },
  },
  {
    title: 'what remains passes, and one more does not',
    ...anyTime,
    holds({ policy, subject, now, cost }) {
      const { remaining } = subject.ask(now, cost)
      expect(remaining).toBeGreaterThanOrEqual(0)
      expect(remaining).toBeLessThanOrEqual(policy.limit)
      expect(subject.peek(now, remaining).allowed).toBe(true)
      expect(subject.peek(now, remaining + 1).allowed).toBe(false)
    },
  },
  {
    title: 'one more remains after exactly the time announced, never with a limit of 0',
    ...anyTime,
    holds({ policy, subject, now, cost }) {
      const { remaining, nextAfterMs } = subject.ask(now, cost)
      expect(nextAfterMs === null).toBe(policy.limit === 0)
      expect(nextAfterMs === 0).toBe(remaining === policy.limit && policy.limit > 0)
      if (nextAfterMs === null || nextAfterMs === 0) return
      const then = later(now, nextAfterMs)
      expect(subject.peek(then - 1, 0).remaining).toBeLessThanOrEqual(remaining)
      expect(subject.peek(then, 0).remaining).toBeGreaterThan(remaining)
    },
  },
  {
    title: 'the full limit is back after exactly the reset',
    ...anyTime,
    holds({ policy, subject, now, cost }) {
      const { resetAfterMs } = subject.ask(now, cost)
      const after = (ms: number): Standing => subject.peek(later(now, Number(resetAfterMs)) + ms, 0)
      expect(after(0)).toMatchObject({ remaining: policy.limit, resetAfterMs: 0 })
      if (resetAfterMs !== 0) expect(after(-1).resetAfterMs).toBe(1)
      if (resetAfterMs !== 0 && policy.limit > 0) expect(after(-1).remaining).toBeLessThan(policy.limit)
    },
  },
  {
    title: 'a refusal leaves what an ask for nothing leaves',
    ...anyTime,
    holds({ policy, subject, twin, now, cost }) {
      const refused = subject.peek(now, 0).remaining + 1 + cost
      expect(subject.ask(now, refused).allowed).toBe(false)
      twin.ask(now, 0)
      expect(view(subject, policy, now)).toEqual(view(twin, policy, now))
    },
  },
  {
    title: 'a peek writes nothing',
    ...anyTime,
    holds({ policy, subject, twin, now, cost }) {
      subject.peek(now, cost)
      expect(view(subject, policy, now)).toEqual(view(twin, policy, now))
    },
  },
  {
    title: 'a clock that goes back adds nothing',
    past: histories,
    gap: gapsBack,
    holds({ subject, before, now }) {
      const { remaining } = subject.peek(before, 0)
      expect(subject.peek(now, 0).remaining).toBeLessThanOrEqual(remaining)
      subject.ask(now, remaining + 1)
      expect(subject.peek(now, 0).remaining).toBeLessThanOrEqual(remaining)
    },
  },
]
