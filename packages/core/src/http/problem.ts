import type { Decision, PolicyResult } from '../model/decision.js'
import { labelsOf } from './labels.js'
import { waitSeconds } from './seconds.js'

/** The answer to a refused request. */
export interface Refusal {
  readonly status: number
  /** The media type. */
  readonly type: string
  readonly body: string
}

const PROBLEMS = 'https://iana.org/assignments/http-problem-types#'

/** Writes what a refused client reads. `told` are the policies that its fields tell of. */
export type RefusalWriter = (
  decision: Decision,
  accept: string | undefined,
  told?: readonly PolicyResult[],
) => Refusal

/**
 * What a refused client reads: problem details (RFC 9457), or a line of text where it prefers text. 429 when it has used
 * up its limit; 503 when nobody could count, which is not its fault. The last answer is remembered: mostly the next
 * client reads the same.
 */
export function refusalWriter(): RefusalWriter {
  let [lastPolicy, lastWait, lastAccept]: [string?, number?, string?] = []
  let refusal = written(REDUCED_CAPACITY, undefined)
  return (decision, accept, told = []) => {
    if (!decision.counted) return written(REDUCED_CAPACITY, accept)
    const { policies, retryAfterMs } = decision
    const policy = policies.length === 1 && told.length < 2 ? policies[0]?.policy : undefined
    const wait = retryAfterMs === null ? Number.POSITIVE_INFINITY : waitSeconds(retryAfterMs)
    const isLast = policy !== undefined && policy === lastPolicy && wait === lastWait && accept === lastAccept
    if (!isLast) refusal = written(quotaExceeded(wait, violatedOf(policies, told)), accept)
    lastPolicy = policy
    lastWait = wait
    lastAccept = accept
    return refusal
  }
}

/** What a client on a `deny` list reads. */
export function denialOf(status: 403 | 429, accept: string | undefined): Refusal {
  return written(status === 403 ? FORBIDDEN : ABNORMAL_USAGE, accept)
}

interface Problem {
  readonly type: string
  readonly title: string
  readonly status: number
  readonly detail: string
}

function written(problem: Problem, accept: string | undefined): Refusal {
  const { status, title, detail } = problem
  if (!prefersText(accept)) return { status, type: 'application/problem+json', body: JSON.stringify(problem) }
  return { status, type: 'text/plain; charset=utf-8', body: `${title}. ${detail}\n` }
}

/** Names of the policies that refuse, as the fields call them, unless those keep quiet about this limiter. */
function violatedOf(policies: readonly PolicyResult[], told: readonly PolicyResult[]): readonly string[] {
  const named = policies.every((policy) => told.includes(policy)) ? told : policies
  const labels = labelsOf(named)
  return labels.filter((_, i) => {
    const policy = named[i] as PolicyResult
    return !policy.allowed && policies.includes(policy)
  })
}

function quotaExceeded(wait: number, violated: readonly string[]) {
  return {
    type: `${PROBLEMS}quota-exceeded`,
    title: 'Quota exceeded',
    status: 429,
    detail: adviceOf(wait),
    'violated-policies': violated,
  }
}

const REDUCED_CAPACITY = {
  type: `${PROBLEMS}temporary-reduced-capacity`,
  title: 'Temporarily reduced capacity',
  status: 503,
  detail: 'Requests cannot be counted at the moment. Try again later.',
}

const FORBIDDEN = {
  type: 'about:blank',
  title: 'Forbidden',
  status: 403,
  detail: 'Requests of this client are not served.',
}

const ABNORMAL_USAGE = {
  type: `${PROBLEMS}abnormal-usage-detected`,
  title: 'Abnormal usage detected',
  status: 429,
  detail: 'Requests of this client are not served.',
}

function adviceOf(seconds: number): string {
  if (seconds === Number.POSITIVE_INFINITY) return 'This request costs more than can ever be allowed at once.'
  return `Try again in ${seconds} ${seconds === 1 ? 'second' : 'seconds'}.`
}

const JSON_TYPES = ['application/problem+json', 'application/json', 'application/*', '*/*']
const TEXT_TYPES = ['text/plain', 'text/html', 'text/*', '*/*']

/** By quality, JSON on ties: browsers ask for `text/html` before anything, most other clients for JSON or any. */
function prefersText(accept: string | undefined): boolean {
  if (accept === undefined || !/text\//i.test(accept)) return false
  const ranges = accept.slice(0, 1000).toLowerCase().split(',').map(rangeOf)
  return qualityOf(ranges, TEXT_TYPES) > qualityOf(ranges, JSON_TYPES)
}

interface Range {
  readonly type: string
  readonly quality: number
}

function rangeOf(item: string): Range {
  const [type = '', ...parameters] = item.split(';').map((part) => part.trim())
  const q = parameters.find((parameter) => parameter.startsWith('q='))
  const quality = q === undefined ? 1 : Number(q.slice(2))
  return { type, quality: quality >= 0 && quality <= 1 ? quality : 0 }
}

/** The most specific range counts; several types are as good as their best. */
function qualityOf(ranges: readonly Range[], types: readonly string[]): number {
  const named = ranges.filter(({ type }) => types.includes(type) && !type.endsWith('*'))
  if (named.length > 0) return Math.max(...named.map(({ quality }) => quality))
  const wild = types
    .map((type) => ranges.find((range) => range.type === type))
    .find((range) => range !== undefined)
  return wild?.quality ?? 0
}
