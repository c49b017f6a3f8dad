import { RateLimitError, type Store } from '@rl/core'
import { checkGuardOptions, type GuardOptions, type RateLimitResult } from '@rl/core/http'
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

/** What the adapter adds to the options of all. */
export const OWN_OPTIONS: readonly string[] = ['onLimited', 'throw']

const HOOKS: readonly unknown[] = ['onRequest', 'preValidation', 'preHandler', undefined]

/** Also of a plugin that has no limit of its own, and so makes no limiter that would check them. */
export function checkPluginOptions(options: PluginOptions): PluginOptions {
  checkGuardOptions(options, [...OWN_OPTIONS, 'hook'])
  if (HOOKS.includes(options.hook)) return options
  throw new RateLimitError('RL_CONFIG', `hook: is one of ${HOOKS.slice(0, -1).join(', ')}`)
}

/**
 * The options of a route, or of a hook made by hand, with what they take over from the plugin. `limit`, `limiter`,
 * `name` and `cost` are a limiter's own; a limiter that is passed brings its store. Without one from the plugin, those
 * with a name count in `shared`.
 */
export function inherit(plugin: PluginOptions, own: RateLimitOptions, shared: Store): RateLimitOptions {
  checkGuardOptions(own, OWN_OPTIONS)
  const { limit, limiter, name, cost, store, onStoreFailure, onEvent, ...taken } = plugin
  if (own.limiter !== undefined) return { ...taken, ...own }
  const counting = own.name === undefined ? { store } : { store: shared }
  return { ...taken, onStoreFailure, onEvent, ...counting, ...own }
}
