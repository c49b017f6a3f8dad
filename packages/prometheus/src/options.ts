import { RateLimitError } from '@rl/core'
import { type Registry, type RegistryContentType, register } from 'prom-client'

export interface CollectOptions {
  /** Where the metrics are registered. @default the default registry of prom-client */
  readonly register?: Registry<RegistryContentType> | undefined
  /** Begins every metric's name. @default 'rl_rate_limiting_' */
  readonly prefix?: string | undefined
  /** Upper bounds of the histogram in seconds, ascending. @default 100 µs to 1 s */
  readonly buckets?: readonly number[] | undefined
  /** Names of limiters that get a label of their own; later ones are `other`. @default 100 */
  readonly maxLimiters?: number | undefined
  /** The same for the policies of each limiter. @default 20 */
  readonly maxPolicies?: number | undefined
}

/** The options with their defaults, checked. */
export interface CheckedOptions {
  readonly register: Registry<RegistryContentType>
  readonly prefix: string
  readonly buckets: readonly number[]
  readonly maxLimiters: number
  readonly maxPolicies: number
}

/** From what a decision in memory takes, past Redis' deadline of 50 ms. */
const BUCKETS: readonly number[] = [
  0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1,
]

const KNOWN = ['register', 'prefix', 'buckets', 'maxLimiters', 'maxPolicies']

/** @throws RateLimitError `RL_CONFIG` */
export function checkOptions(given: CollectOptions): CheckedOptions {
  if (typeof given !== 'object' || given === null) throw wrong('options', 'takes an object')
  for (const name of Object.keys(given)) {
    if (!KNOWN.includes(name)) throw wrong(name, `is no option; it takes ${KNOWN.join(', ')}`)
  }
  const options = {
    register: given.register ?? register,
    prefix: given.prefix ?? 'rl_rate_limiting_',
    buckets: given.buckets ?? BUCKETS,
    maxLimiters: given.maxLimiters ?? 100,
    maxPolicies: given.maxPolicies ?? 20,
  }
  if (typeof options.register.registerMetric !== 'function') {
    throw wrong('register', 'takes a Registry of prom-client')
  }
  if (typeof options.prefix !== 'string' || !/^[a-zA-Z_:][a-zA-Z0-9_:]{0,99}$/.test(options.prefix)) {
    throw wrong('prefix', 'is a letter or _, then letters, digits and _', options.prefix)
  }
  if (!isAscending(options.buckets)) throw wrong('buckets', 'takes 1 to 100 ascending numbers of seconds')
  checkCount('maxLimiters', options.maxLimiters)
  checkCount('maxPolicies', options.maxPolicies)
  return options
}

/** An error about one option: what it must be, and what was seen. */
export function wrong(option: string, advice: string, seen?: unknown): RateLimitError {
  const got = seen === undefined ? '' : `; got ${JSON.stringify(String(seen).slice(0, 80))}`
  return new RateLimitError('RL_CONFIG', `collectRateLimits: ${option}: ${advice}${got}`)
}

function isAscending(buckets: readonly number[]): boolean {
  if (!Array.isArray(buckets) || buckets.length === 0 || buckets.length > 100) return false
  return buckets.every((bound, i) => Number.isFinite(bound) && bound > (i === 0 ? 0 : buckets[i - 1]))
}

function checkCount(option: string, value: number): void {
  if (Number.isInteger(value) && value >= 1 && value <= 1000) return
  throw wrong(option, 'is a whole number from 1 to 1000', value)
}
