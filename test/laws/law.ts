import type { Policy } from '@rl/core'
import fc from 'fast-check'
import { type Gap, gapsBoth, gapsOn, type History, histories, steadyHistories } from './histories.js'
import type { Standing, Subject } from './subjects.js'

/** What a law is held against: two subjects with one and the same past. */
export interface Given {
  readonly policy: Policy
  readonly subject: Subject
  readonly twin: Subject
  /** When the past ended. */
  readonly before: number
  readonly now: number
  readonly cost: number
}

export interface Law {
  readonly title: string
  readonly past: fc.Arbitrary<History>
  /** From the end of the past to now. */
  readonly gap: fc.Arbitrary<Gap>
  readonly holds: (given: Given) => void
}

type Times = Pick<Law, 'past' | 'gap'>

/** A past and a step to now, with a clock that at times goes back. */
export const anyTime: Times = { past: histories, gap: gapsBoth }
/** The same with a clock that only goes on. */
export const steadyTime: Times = { past: steadyHistories, gap: gapsOn }

/** A time so much later. No clock comes to one that is not exact: a case that asks for it is left out. */
export function later(now: number, ms: number): number {
  const time = now + ms
  fc.pre(Number.isSafeInteger(time))
  return time
}

/** All that can be told of a subject from outside, at moments before and after now. */
export function view(subject: Subject, policy: Policy, now: number): readonly Standing[] {
  const { windowMs } = policy
  const past = [-2 * windowMs, -windowMs, -1].map((offset) => Math.max(0, now + offset))
  return [...past.flatMap((at) => looks(subject, policy, at)), ...viewOn(subject, policy, now)]
}

/** The same from now on. */
export function viewOn(subject: Subject, policy: Policy, now: number): readonly Standing[] {
  const { windowMs } = policy
  const offsets = [0, 1, Math.floor(windowMs / 3), windowMs - 1, windowMs, windowMs + 1, 2 * windowMs - 1]
  return offsets.flatMap((offset) => looks(subject, policy, now + offset))
}

function looks(subject: Subject, { limit }: Policy, at: number): readonly Standing[] {
  return [subject.peek(at, 1), subject.peek(at, limit)]
}
