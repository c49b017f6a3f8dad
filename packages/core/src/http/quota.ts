import type { PolicyResult } from '../model/decision.js'
import { isUnit } from '../model/unit.js'
import type { Field } from './field.js'
import { seconds } from './seconds.js'

/**
 * Writes what a policy allows, as RateLimit-Policy tells it since draft 8. The last field is remembered: mostly the next
 * request is told of the same policy.
 */
export function rememberedQuota(): (label: string, policy: PolicyResult) => Field {
  let last = { label: '', limit: 0, windowMs: 0, unit: undefined as string | undefined }
  let field: Field = ['RateLimit-Policy', '']
  return (label, { limit, windowMs, unit }) => {
    if (label !== last.label || limit !== last.limit || windowMs !== last.windowMs || unit !== last.unit) {
      last = { label, limit, windowMs, unit }
      field = ['RateLimit-Policy', quotaText(label, limit, windowMs, unit)]
    }
    return field
  }
}

function quotaText(label: string, limit: number, windowMs: number, unit: string | undefined): string {
  const window = windowMs > 0 ? `;w=${seconds(windowMs)}` : ''
  return `"${label}";q=${limit}${unit === undefined ? '' : quotaUnit(unit)}${window}`
}

/** Of any store, also one that is not ours. */
function quotaUnit(unit: string): string {
  return isUnit(unit) && unit !== 'requests' ? `;qu="${unit}"` : ''
}
