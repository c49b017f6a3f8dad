import type { Policy } from '@rl/core'
import fc from 'fast-check'
import { describe, it } from 'vitest'
import { DECISION_LAWS } from './decision-laws.js'
import { type Cost, costs, type Gap, type History, ms, play, units } from './histories.js'
import type { Given, Law } from './law.js'
import { type Family, policiesOf } from './policies.js'
import { RUNS } from './runs.js'
import { SETTLE_LAWS } from './settle-laws.js'
import { SUBJECTS, type Subject } from './subjects.js'

/** The laws that every algorithm keeps, as pure steps and in the memory store. */
export function describeLaws(family: Family): void {
  describe.each(Object.entries(SUBJECTS))(`${family}, %s`, (_, create) => {
    for (const law of [...DECISION_LAWS, ...SETTLE_LAWS]) {
      it(law.title, () => {
        const property = fc.property(chosenFor(family, law), (chosen) => law.holds(givenBy(create, chosen)))
        fc.assert(property, RUNS)
      })
    }
  })
}

interface Chosen {
  readonly policy: Policy
  readonly past: History
  readonly gap: Gap
  readonly cost: Cost
}

function chosenFor(family: Family, { past, gap }: Law): fc.Arbitrary<Chosen> {
  return fc.record({ policy: policiesOf(family), past, gap, cost: costs })
}

function givenBy(create: (policy: Policy) => Subject, { policy, past, gap, cost }: Chosen): Given {
  const [subject, twin] = [create(policy), create(policy)]
  const before = play(subject, policy, past)
  play(twin, policy, past)
  const now = Math.max(0, before + ms(policy, gap))
  return { policy, subject, twin, before, now, cost: units(policy, cost) }
}
