import type { Decision, PolicyResult } from '@rl/core'
import type { Field } from '../http/api-error.js'
import { durationText } from './duration-text.js'

/** How the user stands, in the fields that OpenAI's clients read. None where nothing was counted. */
export function rateFields(decision: Decision): readonly Field[] {
  if (!decision.counted) return []
  const ofUser = decision.policies.filter(({ limiter }) => limiter === 'user')
  return [...ofUser.flatMap(fieldsOf), ...retryFields(decision.retryAfterMs)]
}

function fieldsOf({ policy, limit, remaining, resetAfterMs }: PolicyResult): readonly Field[] {
  const reset: readonly Field[] =
    resetAfterMs === null ? [] : [[`x-ratelimit-reset-${policy}`, durationText(resetAfterMs)]]
  return [
    [`x-ratelimit-limit-${policy}`, String(limit)],
    [`x-ratelimit-remaining-${policy}`, String(remaining)],
    ...reset,
  ]
}

/** 0: it passed; null: it never will. */
function retryFields(ms: number | null): readonly Field[] {
  if (ms === null || ms === 0) return []
  return [
    ['retry-after', String(Math.ceil(ms / 1000))],
    ['retry-after-ms', String(ms)],
  ]
}
