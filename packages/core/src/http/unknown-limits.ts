import type { Uncounted } from '../model/decision.js'
import { show } from '../model/errors.js'
import type { Limit } from '../model/limit.js'
import type { Logger } from '../model/logger.js'
import { monotonicNow } from '../model/timers.js'
import { log } from '../resilience/listener.js'

const LINE_EVERY_MS = 5000

/** Instead of a limit: nobody knows it, and the request is refused with 503. */
const REFUSED = Symbol.for('@rl/core.limit-unknown')

/** The decision then. */
export const LIMIT_UNKNOWN: Uncounted = {
  counted: false,
  allowed: false,
  source: 'closed',
  reason: 'limit-unknown',
}

/** Whether a limit function has said that the limit can't be known. */
export function isUnknown(limit: unknown): boolean {
  return limit === REFUSED
}

/** What holds where a limit could not be loaded, and what is said of it: a line at once, then one every five seconds. */
export class UnknownLimits {
  readonly limit: Limit
  readonly #logger: Logger
  readonly #said: string
  #lineAt = Number.NEGATIVE_INFINITY
  #sinceLine = 0

  constructor({ onError, logger }: { readonly onError: Limit | 'refuse'; readonly logger: Logger }) {
    this.#logger = logger
    const isRefused = onError === 'refuse'
    // To TypeScript it is a limit, as nobody but the guard has to know.
    this.limit = isRefused ? (REFUSED as unknown as Limit) : onError
    this.#said = isRefused ? 'requests that need it are refused (503)' : 'the limit of onError holds instead'
  }

  report(error: unknown): void {
    this.#sinceLine++
    const now = monotonicNow()
    if (now - this.#lineAt < LINE_EVERY_MS) return
    this.#lineAt = now
    const count = this.#sinceLine > 1 ? ` (${this.#sinceLine} loads failed since the last line)` : ''
    this.#sinceLine = 0
    log(
      this.#logger,
      'error',
      `[rl] cachedLimit: a limit could not be loaded; ${this.#said}${count}. ${reasonOf(error)}`,
    )
  }
}

/** An error may quote what came over the wire. Of a long one the middle is left out: at its end stands the value. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return show(error)
  const text = String(error.message)
  return show(text.length > 200 ? `${text.slice(0, 80)}…${text.slice(-120)}` : text, 400)
}
