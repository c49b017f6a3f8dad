import type { Field } from './field.js'
import type { RateLimitResult } from './request-state.js'

/** What an adapter has to write: always the headers; on a refusal also status and body. */
export type Verdict = Passed | Refused

interface Passed {
  readonly allowed: true
  readonly headers: readonly Field[]
  /** What this limiter decided; `undefined` where it was not asked. */
  readonly result: RateLimitResult | undefined
  /** The tightest result of this request so far. */
  readonly tightest: RateLimitResult | undefined
}

interface Refused {
  readonly allowed: false
  readonly status: number
  readonly headers: readonly Field[]
  /** Media type of `body`. */
  readonly type: string
  readonly body: string
  readonly result: RateLimitResult
  readonly tightest: RateLimitResult
}
