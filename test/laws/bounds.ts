import type { Policy } from '@rl/core'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Cost, costs, type Gap, gapsBoth, ms, units } from './histories.js'
import { type Family, smallPoliciesOf } from './policies.js'
import { RUNS } from './runs.js'
import { SUBJECTS, type Subject } from './subjects.js'

/** From one admission to another: time that went by, not counting any that the clock took back, and how often it did. */
interface Span {
  readonly elapsedMs: number
  readonly stepsBack: number
}

/** The most that may pass within a span, its two ends included. */
const BOUNDS: { readonly [F in Family]: (policy: Policy, span: Span) => number } = {
  'fixed window, epoch': (policy, span) => policy.limit * (windowsIn(policy, span) + 2 + span.stepsBack),
  'fixed window, first hit': (policy, span) => policy.limit * (windowsIn(policy, span) + 2),
  'sliding window': (policy, span) => policy.limit + share(policy.limit, policy, span),
  'sliding log': (policy, span) => policy.limit * (windowsIn(policy, span) + 1),
  'token bucket': (policy, span) => policy.limit + share(refillOf(policy), policy, span),
}

/** Never more passes than the algorithm promises, whatever the clock does; a log: the limit in any window. */
export function describeBound(family: Family): void {
  describe.each(Object.entries(SUBJECTS))(`${family}, %s`, (_, create) => {
    it('never lets more pass than promised, in any span of time', () => {
      const traffic = fc.array(fc.record({ gap: gapsBoth, cost: costs, times: fc.nat(4) }), { maxLength: 40 })
      const property = fc.property(smallPoliciesOf(family), traffic, (policy, bursts) => {
        const admissions = admitted(create(policy), policy, bursts)
        for (const [i, first] of admissions.entries()) expectBound(family, policy, first, admissions.slice(i))
      })
      fc.assert(property, RUNS)
    })
  })
}

interface Admission extends Span {
  readonly cost: number
}

interface Burst {
  readonly gap: Gap
  readonly cost: Cost
  readonly times: number
}

function admitted(subject: Subject, policy: Policy, bursts: readonly Burst[]): readonly Admission[] {
  const admissions: Admission[] = []
  let [now, elapsedMs, stepsBack] = [0, 0, 0]
  for (const { gap, cost, times } of bursts) {
    const before = now
    now = Math.max(0, now + ms(policy, gap))
    elapsedMs += Math.max(0, now - before)
    if (now < before) stepsBack++
    for (let i = 0; i <= times; i++) {
      const asked = Math.max(1, units(policy, cost))
      if (subject.ask(now, asked).allowed) admissions.push({ elapsedMs, stepsBack, cost: asked })
    }
  }
  return admissions
}

function expectBound(
  family: Family,
  policy: Policy,
  first: Admission,
  admissions: readonly Admission[],
): void {
  let passed = 0
  for (const { elapsedMs, stepsBack, cost } of admissions) {
    passed += cost
    const span = { elapsedMs: elapsedMs - first.elapsedMs, stepsBack: stepsBack - first.stepsBack }
    expect(passed).toBeLessThanOrEqual(BOUNDS[family](policy, span))
  }
}

function windowsIn({ windowMs }: Policy, { elapsedMs }: Span): number {
  return Math.floor(elapsedMs / windowMs)
}

/** What comes back, evenly, of `amount` a window. */
function share(amount: number, { windowMs }: Policy, { elapsedMs }: Span): number {
  return Math.floor((amount * elapsedMs) / windowMs)
}

function refillOf(policy: Policy): number {
  return policy.kind === 'token-bucket' ? policy.refill : policy.limit
}
