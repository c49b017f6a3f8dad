import { type Decision, decidingOf, type PolicyResult } from '../model/decision.js'
import { configError } from '../model/errors.js'
import { closest } from './closest.js'
import { draft8 } from './draft-8.js'
import type { Field, FieldWriter } from './field.js'
import { seconds, waitSeconds } from './seconds.js'
import { availableMs } from './standing.js'

/** A generation of the IETF RateLimit fields, by the draft that brought it, or the `X-RateLimit-*` convention. */
export type HeaderForm = 'draft-6' | 'draft-7' | 'draft-8' | 'draft-9' | 'draft-10' | 'draft-11' | 'legacy'

/** Which fields tell a client where it stands. `false`: none, but for `Retry-After` on a refusal. */
export type HeadersOption = HeaderForm | false | readonly HeaderForm[]

/** Each makes a writer for one limiter. */
const WRITERS: Readonly<Record<HeaderForm, () => FieldWriter>> = {
  'draft-6': () => draft6,
  'draft-7': () => draft7,
  'draft-8': draft8,
  'draft-9': draft8,
  'draft-10': draft8,
  'draft-11': draft8,
  legacy: () => legacy,
}

/** @throws RateLimitError `RL_CONFIG` for an unknown form, or two forms that write one field in different ways. */
export function fieldWriter(option: HeadersOption): FieldWriter {
  const forms: readonly unknown[] = option === false ? [] : Array.isArray(option) ? option : [option]
  for (const form of forms) {
    if (typeof form === 'string' && Object.hasOwn(WRITERS, form)) continue
    throw configError('headers', form, `takes false or ${Object.keys(WRITERS).join(', ')}`)
  }
  const kinds = new Set(forms.map((form) => WRITERS[form as HeaderForm]))
  if (kinds.has(draft8) && (kinds.has(WRITERS['draft-6']) || kinds.has(WRITERS['draft-7']))) {
    throw configError(
      'headers',
      forms.join(', '),
      'can have only one of these: they give one field two meanings',
    )
  }
  const writers = Array.from(kinds, (make) => make())
  if (writers.length === 1) return writers[0] as FieldWriter
  return (results) => [...new Map(writers.flatMap((write) => write(results)))]
}

/** `Retry-After` in whole seconds, rounded up, at least 1; none when waiting does not help, or nobody knows. */
export function retryAfter(decision: Decision): readonly Field[] {
  const wait = waitOf(decision)
  return wait === null ? [] : [['Retry-After', String(wait)]]
}

function waitOf(decision: Decision): number | null {
  return decision.counted && decision.retryAfterMs !== null ? waitSeconds(decision.retryAfterMs) : null
}

const NOT_STORED: Field = ['Cache-Control', 'no-store']

/** Adds what a refusal has besides: `Retry-After`, and that it is not to be stored. The last answer is remembered. */
export function refusalFields(): (fields: readonly Field[], decision: Decision) => readonly Field[] {
  let [lastFields, lastWait, all]: [readonly Field[] | undefined, number | null, readonly Field[]] = [
    undefined,
    null,
    [],
  ]
  return (fields, decision) => {
    const wait = waitOf(decision)
    if (fields !== lastFields || wait !== lastWait) {
      all = [...fields, ...retryAfter(decision), NOT_STORED]
      lastFields = fields
      lastWait = wait
    }
    return all
  }
}

function draft7(results: readonly PolicyResult[]): Field[] {
  const { limit, remaining, resetMs } = tightest(results)
  return [
    ['RateLimit-Policy', quotas(results)],
    ['RateLimit', `limit=${limit}, remaining=${remaining}, reset=${seconds(resetMs)}`],
  ]
}

function draft6(results: readonly PolicyResult[]): Field[] {
  const { limit, remaining, resetMs } = tightest(results)
  return [
    ['RateLimit-Policy', quotas(results)],
    ['RateLimit-Limit', String(limit)],
    ['RateLimit-Remaining', String(remaining)],
    ['RateLimit-Reset', String(seconds(resetMs))],
  ]
}

function legacy(results: readonly PolicyResult[]): Field[] {
  const { limit, remaining, resetMs } = tightest(results)
  return [
    ['X-RateLimit-Limit', String(limit)],
    ['X-RateLimit-Remaining', String(remaining)],
    ['X-RateLimit-Reset', String(seconds(Date.now() + resetMs))],
  ]
}

/** Policies of drafts 6 and 7 are told apart by their quota alone, so a second one with the same is left out. */
function quotas(results: readonly PolicyResult[]): string {
  const items = new Map<number, string>()
  for (const { limit, windowMs } of closest(results)) {
    if (!items.has(limit)) items.set(limit, windowMs > 0 ? `${limit};w=${seconds(windowMs)}` : String(limit))
  }
  return [...items.values()].join(', ')
}

/**
 * Fields with room for one policy tell of the one that refuses for longest, else of the one with least left: of requests
 * where some are counted, as these fields have no unit, and whoever reads them takes it for requests.
 */
function tightest(results: readonly PolicyResult[]): { limit: number; remaining: number; resetMs: number } {
  const deciding = decidingOf(results)
  const ofRequests = results.filter(({ unit = 'requests' }) => unit === 'requests')
  const told = deciding.allowed ? leastOf(ofRequests.length > 0 ? ofRequests : results) : deciding
  const { limit, remaining, windowMs } = told
  return { limit, remaining, resetMs: told.retryAfterMs || (availableMs(told) ?? windowMs) }
}

function leastOf(results: readonly PolicyResult[]): PolicyResult {
  return results.reduce((a, b) => (b.remaining < a.remaining ? b : a))
}
