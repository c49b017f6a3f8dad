import type { GuardOptions, RateLimitResult } from '@rl/core/http'
import type { Target } from '../support/http-client.js'

/**
 * An application in words that every framework has. Its routes:
 *
 * - `/ok` (GET and POST), `/api/ok` behind the router, `/limited` and `/users/:id` behind the route limiters: 200 `ok`
 * - `/throws` at once, `/rejects` later: an error that says `of the handler`, answered 500 by the application
 * - `/redirect` to `/ok`
 * - `/streams` the parts `one` and `two`; `/breaks` and `/hangs` after `one`; `/waits` before anything
 */
export interface App {
  /** Limiters that every request passes, in order. */
  readonly app?: readonly Mount[]
  /** Limiters of the router below `/api`. */
  readonly router?: readonly Mount[]
  /** Limiters of the routes `/limited` and `/users/:id`. */
  readonly route?: readonly Mount[]
  /** Fails every request, before any limiter, with an error that says `of the application`. */
  readonly failsBefore?: boolean
  /** HTTP/2 is without TLS. @default 'tcp' on 127.0.0.1 */
  readonly listen?: 'tcp' | 'dual-stack' | 'unix socket' | 'http2'
}

/**
 * Options of one `rateLimit`. Functions may use the view alone, as the context is another one in each framework. On a
 * refusal the application answers 418 with `<limiter>:<policy> <key>` as text, or fails with `of the refusal`. One mount in
 * two places is one middleware, mounted twice.
 */
export interface Mount extends GuardOptions<unknown> {
  readonly onLimited?: 'answers' | 'throws' | 'rejects'
}

export interface Served {
  readonly target: Target
  /** What `getRateLimit` gave in each handler that ran, in order. */
  readonly results: readonly (RateLimitResult | undefined)[]
  /** What came to the error handling of the application, which answers 500. */
  readonly errors: readonly unknown[]
  close(): Promise<void>
}

/** Starts an application on a real server. Rejects when an option is refused. */
export type Serve = (app: App) => Promise<Served>
