import type { Decision } from '../model/decision.js'

/** Whether a store answered with a decision: what is none would come out as "allowed", or as numbers that nobody counted. */
export function isDecision(value: Decision): boolean {
  if (typeof value?.allowed !== 'boolean') return false
  if (!value.counted) return value.counted === false
  return isStanding(value) && Array.isArray(value.policies) && value.policies.every(isStanding)
}

type Standing = Record<'limit' | 'remaining' | 'resetAfterMs' | 'retryAfterMs', number | null>

function isStanding({ limit, remaining, resetAfterMs, retryAfterMs }: Standing): boolean {
  return isCount(limit) && isCount(remaining) && isSpan(resetAfterMs) && isSpan(retryAfterMs)
}

function isCount(value: number | null): boolean {
  return Number.isSafeInteger(value) && (value as number) >= 0
}

/** A wait may be without an end. */
function isSpan(value: number | null): boolean {
  return value === null || isCount(value)
}
