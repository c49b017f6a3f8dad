import {
  createLimiter,
  fixedWindow,
  isRateLimitError,
  type Limit,
  type Policy,
  type PolicyLike,
  type Store,
  slidingLog,
  slidingWindow,
  tokenBucket,
} from '@rl/core'
import { at, fault } from './fault.js'

/** By the names that they have in JavaScript. */
const BUILDERS: ReadonlyMap<string, (options: never) => Policy> = new Map<string, (options: never) => Policy>(
  [
    ['fixedWindow', fixedWindow],
    ['slidingWindow', slidingWindow],
    ['slidingLog', slidingLog],
    ['tokenBucket', tokenBucket],
  ],
)
const ADVICE = `takes "100/1m", { "tokenBucket": { "capacity": 20, "per": "1s" } } (or ${[...BUILDERS.keys()].join(', ')}), a list, or an object of named ones`

/**
 * The policies of a limit as it stands in JSON: what core takes, with a builder's call as an object with its name:
 * `{ "tokenBucket": { "capacity": 20, "per": "1s" } }`.
 * @throws RateLimitError `RL_CONFIG` for what core would refuse, with the path.
 */
export function toPolicies(form: unknown, path: string): readonly Policy[] {
  const limit = toLimit(form, path)
  try {
    const limiter = createLimiter({ limit, store: { ...NOWHERE } })
    void limiter.close()
    return limiter.policies
  } catch (error) {
    // "limit.burst: …" there is "plans.pro.limit.burst: …" here.
    throw located(error, path, /^limit/)
  }
}

/** Counts nothing: the limiter is made for the sake of its checks. */
const NOWHERE: Store = {
  consume() {
    throw new Error('not for use')
  },
  settle: () => undefined,
  reset: () => undefined,
  close: () => undefined,
}

function toLimit(form: unknown, path: string): Limit {
  if (Array.isArray(form)) return form.map((one, i) => toPolicyLike(one, at(path, i)))
  if (!isObject(form) || isCall(form)) return toPolicyLike(form, path)
  return Object.fromEntries(
    Object.entries(form).map(([name, one]) => [name, toPolicyLike(one, at(path, name))]),
  )
}

function toPolicyLike(form: unknown, path: string): PolicyLike {
  if (typeof form === 'string') return form
  if (!isObject(form)) throw fault(path, ADVICE)
  const [name = '', ...others] = Object.keys(form)
  const build = BUILDERS.get(name)
  if (build === undefined || others.length > 0) throw fault(path, ADVICE)
  try {
    return build(form[name] as never)
  } catch (error) {
    throw located(error, path)
  }
}

function isCall(form: Readonly<Record<string, unknown>>): boolean {
  return Object.keys(form).some((name) => BUILDERS.has(name))
}

function isObject(form: unknown): form is Readonly<Record<string, unknown>> {
  return typeof form === 'object' && form !== null && !Array.isArray(form)
}

function located(error: unknown, path: string, option = /^$/): unknown {
  if (!isRateLimitError(error)) return error
  if (option.test(error.message)) return fault('', error.message.replace(option, path))
  return fault(path, error.message)
}
