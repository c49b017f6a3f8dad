import { configError } from './errors.js'
import { didYouMean } from './suggest.js'

/** A span of time: whole milliseconds, or a string such as `'500ms'`, `'10s'`, `'1m'`, `'2h'`, `'1d'`, `'1 minute'`. */
export type Duration = number | string

/** A hundred years: longer windows are taken for a mistake, and times stay far below 2^53 ms. */
const MAX_MS = 36_525 * 86_400_000

const UNITS: Readonly<Record<string, number>> = {
  ms: 1,
  millisecond: 1,
  milliseconds: 1,
  s: 1000,
  sec: 1000,
  second: 1000,
  seconds: 1000,
  m: 60_000,
  min: 60_000,
  minute: 60_000,
  minutes: 60_000,
  h: 3_600_000,
  hour: 3_600_000,
  hours: 3_600_000,
  d: 86_400_000,
  day: 86_400_000,
  days: 86_400_000,
}

const FORM = /^(\d{1,15})? ?([A-Za-z]{1,20})$/

/**
 * Milliseconds of a duration. A bare unit is one of it (`'day'`), as in `'1000/day'`.
 * @throws RateLimitError `RL_CONFIG` naming `option` for anything else, months and years included (they vary).
 */
export function parseDuration(value: unknown, option: string): number {
  if (typeof value === 'number') return checkMs(value, option, value)
  if (typeof value !== 'string')
    throw configError(option, value, 'takes milliseconds or a string such as "10s"')
  const match = FORM.exec(value.trim())
  const unit = match?.[2]
  if (unit === undefined)
    throw configError(option, value, `takes whole numbers with a unit, such as "10s" or "1 minute"`)
  const ms = Object.hasOwn(UNITS, unit) ? UNITS[unit] : undefined
  if (ms === undefined) {
    const hint = didYouMean(unit, Object.keys(UNITS)) ?? ' Units are ms, s, m, h, d and their English names.'
    throw configError(option, value, `has no unit "${unit}".${hint}`)
  }
  return checkMs(Number(match?.[1] ?? 1) * ms, option, value)
}

/** The shortest exact form: `60000` → `'1m'`, `90000` → `'90s'`, `1500` → `'1500ms'`. */
export function formatDuration(ms: number): string {
  for (const unit of ['d', 'h', 'm', 's'] as const) {
    const size = UNITS[unit] as number
    if (ms % size === 0) return `${ms / size}${unit}`
  }
  return `${ms}ms`
}

function checkMs(ms: number, option: string, seen: unknown): number {
  if (Number.isInteger(ms) && ms >= 1 && ms <= MAX_MS) return ms
  throw configError(option, seen, 'must be whole milliseconds, at least 1 and at most 100 years')
}
