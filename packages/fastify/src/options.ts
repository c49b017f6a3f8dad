import type { GuardOptions, RateLimitResult } from '@rl/core/http'
import type { FastifyReply, FastifyRequest } from 'fastify'

/** The options of all adapters, with functions that get Fastify's request. */
export interface RateLimitOptions<Req = FastifyRequest> extends GuardOptions<Req> {
  /** Gives the body of a refusal, or sends it; status and fields are set already. */
  readonly onLimited?: ((request: Req, reply: FastifyReply, result: RateLimitResult) => unknown) | undefined
  /** True: a refusal is an error with its `statusCode`, for the error handler to answer. @default false */
  readonly throw?: boolean | undefined
}

/** Of the plugin: a limit for all routes, or none, and what routes with a limit of their own take over. */
export interface PluginOptions<Req = FastifyRequest> extends RateLimitOptions<Req> {
  /** When to decide: before the body is read, or late enough for keys that need it. @default 'onRequest' */
  readonly hook?: 'onRequest' | 'preValidation' | 'preHandler' | undefined
}

/** Options that routes take over from the plugin. `limit`, `limiter`, `name` and `cost` are a limiter's own. */
const INHERITED = [
  'key',
  'skip',
  'enabled',
  'headers',
  'onLimited',
  'throw',
  'onDone',
  'store',
  'onStoreFailure',
  'onEvent',
  'logger',
] as const

export function inherit(plugin: PluginOptions, own: RateLimitOptions): RateLimitOptions {
  const taken = INHERITED.filter((name) => plugin[name] !== undefined).map((name) => [name, plugin[name]])
  return { ...Object.fromEntries(taken), ...own }
}
