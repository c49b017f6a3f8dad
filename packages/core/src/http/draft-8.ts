import type { PolicyResult } from '../model/decision.js'
import { closest } from './closest.js'
import type { Field, FieldWriter } from './field.js'
import { labelOf, labelsOf } from './labels.js'
import { rememberedQuota } from './quota.js'
import { rememberedStanding } from './standing.js'

/** The two fields since draft 8, with an item for each policy. Of one that stands as before, they are the last ones. */
export function draft8(): FieldWriter {
  const [quotaOf, standingOf] = [rememberedQuota(), rememberedStanding()]
  let last: readonly Field[] = []
  const ofOne = (result: PolicyResult): readonly Field[] => {
    const label = labelOf(result)
    const quota = quotaOf(label, result)
    const standing = standingOf(label, result)
    if (last[0] !== quota || last[1] !== standing) last = [quota, standing]
    return last
  }
  return (results) => {
    const [first] = results
    if (first !== undefined && results.length === 1) return ofOne(first)
    // Of all of them: a policy keeps its name when others are left out.
    const labels = labelsOf(results)
    const quotas: string[] = []
    const standings: string[] = []
    for (const result of closest(results)) {
      const label = labels[results.indexOf(result)] as string
      quotas.push(quotaOf(label, result)[1])
      standings.push(standingOf(label, result)[1])
    }
    return [
      ['RateLimit-Policy', quotas.join(', ')],
      ['RateLimit', standings.join(', ')],
    ]
  }
}
