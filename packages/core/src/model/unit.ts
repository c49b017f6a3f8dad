import { configError } from './errors.js'

/**
 * What a policy counts, as RateLimit-Policy tells it (`qu`). The drafts define `requests`, the default, and
 * `content-bytes`; any other name, such as `tokens`, is the application's own.
 */
export type QuotaUnit = 'requests' | 'content-bytes' | (string & {})

const UNIT = /^[a-z][a-z0-9_-]{0,31}$/

/** The unit where it is not the default, which is left out of policies and fields. @throws RateLimitError `RL_CONFIG` */
export function unitOf(unit: unknown, option: string): { readonly unit?: QuotaUnit } {
  if (unit === undefined || unit === 'requests') return {}
  if (unit === 'concurrent-requests') {
    throw configError(option, unit, 'is of a limit of what runs at once, which this is not')
  }
  if (isUnit(unit)) return { unit }
  throw configError(
    option,
    unit,
    'is 1 to 32 of a-z 0-9 _ - and begins with a letter, such as "content-bytes"',
  )
}

/** True for what can stand in a field as it is. */
export function isUnit(unit: unknown): unit is QuotaUnit {
  return typeof unit === 'string' && UNIT.test(unit)
}
