import type { Limit, Logger } from '@rl/core'
import type { KeyFunction, RequestView } from '@rl/core/http'
import type { Caller } from './member.js'

/** Where lines go. What was changed is no warning: it goes to `info` where there is one, as in `console`. */
export interface TenantsLogger extends Logger {
  info?(message: string): void
}

/** `Ctx` is the framework's own object, for those who give functions of it. */
export interface TenantsOptions<Ctx = unknown> {
  /** Where the API key stands. In `authorization` it follows a scheme such as `Bearer`. @default 'x-api-key' */
  readonly header?: string | undefined
  /** Where a caller names one of the profiles of its plan. @default 'config-profile' */
  readonly profileHeader?: string | undefined
  /** The tenant's id, where authentication has found it already; nothing lets the API key decide. */
  readonly tenant?: ((ctx: Ctx, view: RequestView) => string | undefined) | undefined
  /** Whom a request of no tenant counts for. @default byIp() */
  readonly fallback?: KeyFunction<Ctx> | undefined
  /** Read the file again when it changes. @default true */
  readonly watch?: boolean | undefined
  /** Read the file again on SIGHUP, which else ends the process. @default true */
  readonly sighup?: boolean | undefined
  /** A larger file is refused, in bytes. @default 33_554_432 (32 MiB) */
  readonly maxBytes?: number | undefined
  /** Told what a reload changed, or why it was refused; of keys never. @default console */
  readonly logger?: TenantsLogger | undefined
}

/** What `rateLimit` of any adapter takes: `rateLimit({ ...tenants.rules(), store, name: 'api' })`. */
export interface Rules<Ctx = unknown> {
  readonly key: KeyFunction<Ctx>
  readonly limit: (ctx: Ctx, view: RequestView) => Limit
  readonly skip: (ctx: Ctx, view: RequestView) => boolean
}

/** The plans and tenants of a file, as they are now. */
export interface Tenants<Ctx = unknown> {
  /** Functions of a request, all answering from one state of the file. */
  rules(): Rules<Ctx>
  /** Who asks, and by which plan: asked for the first time, it is decided now, for the rest of the request. */
  callerOf(view: RequestView, ctx: Ctx): Caller
  /**
   * The same, once it is decided: for handlers, which have no view. Takes what stands for a request in its framework:
   * the request of Express, the raw request of Koa and Fastify (`ctx.req`, `request.raw`), the context of Hono.
   */
  of(carrier: object): Caller | undefined
  /** Whether an API key is one of the file's, for `byApiKey({ known })`. */
  readonly known: (key: string) => boolean
  /** How many tenants there are. */
  readonly size: number
  /**
   * Reads the file now; true when something is different. Until all of it is checked, and when it is refused, what was
   * in force stays so.
   * @throws RateLimitError `RL_CONFIG` naming the fault, as a rejection.
   */
  reload(): Promise<boolean>
  /** Stops watching and listening for SIGHUP. What is loaded stays in force. May be called twice. */
  close(): void
}
