import { memoryStore, RateLimitError } from '@rl/core'
import { type RateLimitResult, rateLimitOf } from '@rl/core/http'
import type { FastifyInstance, FastifyPluginCallback, FastifyRequest } from 'fastify'
import fastifyPlugin from 'fastify-plugin'
import { type Hook, hookOf } from './hook.js'
import { inherit, type PluginOptions, type RateLimitOptions } from './options.js'

export { fixedWindow, memoryStore, slidingLog, slidingWindow, tokenBucket } from '@rl/core'
export {
  byApiKey,
  byHeader,
  byIp,
  byRoute,
  compose,
  firstOf,
  ipKey,
  type RateLimitResult,
} from '@rl/core/http'
export type { Hook } from './hook.js'
export type { PluginOptions, RateLimitOptions } from './options.js'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** A limit for this route, beside the one for all; `false`: none at all. */
    rateLimit?: RateLimitOptions | false
  }
  interface FastifyRequest {
    /** The tightest result so far. */
    rateLimit: RateLimitResult | null
  }
  interface FastifyInstance {
    /** A hook to attach by hand, as in `{ preHandler: app.rateLimit({ … }) }`; without options the limit for all. */
    rateLimit(options?: RateLimitOptions): Hook
  }
}

/** Limits requests: `app.register(rateLimit, { limit: '100/1m' })`. @throws RateLimitError `RL_CONFIG` */
export const rateLimit: FastifyPluginCallback<PluginOptions> = fastifyPlugin(plugin, {
  name: '@rl/fastify',
  fastify: '5.x',
})
export default rateLimit

/** What was decided on a request: the tightest result, or that of the limiter called `name`. */
export function getRateLimit(request: FastifyRequest, name?: string): RateLimitResult | undefined {
  return rateLimitOf(request.raw, name)
}

/** Of the parent scope too, so that a route that two registrations see is counted once. */
const ROUTE_HOOKS = Symbol('@rl/fastify.route-hooks')

interface Scope {
  [ROUTE_HOOKS]?: WeakMap<object, Map<string, Hook>>
}

function plugin(app: FastifyInstance, options: PluginOptions, done: () => void): void {
  const { hook = 'onRequest', ...common } = options
  if (!HOOKS.includes(hook)) throw new RateLimitError('RL_CONFIG', `hook: is one of ${HOOKS.join(', ')}`)
  const forAll = hasLimit(common) ? hookOf(common) : undefined
  // Named routes with the same limit are a group, which takes one store.
  const shared = common.store ?? memoryStore()
  const scope = app as Scope
  scope[ROUTE_HOOKS] ??= new WeakMap()
  const routeHooks = scope[ROUTE_HOOKS]

  if (!app.hasRequestDecorator('rateLimit')) app.decorateRequest('rateLimit', null)
  if (!app.hasDecorator('rateLimit')) {
    app.decorate('rateLimit', (own) => (own === undefined ? (forAll ?? pass) : hookOf(inherit(common, own))))
  }
  // Wrong options are to throw when the route is declared. Routes older than this plugin meet the hook below all the same.
  app.addHook('onRoute', ({ config, url }) => {
    if (config?.rateLimit) routeHook(config.rateLimit, url)
  })
  // Of one type for TypeScript: it knows no overload for a choice of hooks.
  app.addHook(hook as 'onRequest', (request, reply, next) => {
    const { config, url = '' } = request.routeOptions
    const own = config.rateLimit
    if (own === false) next()
    else if (own === undefined) (forAll ?? pass)(request, reply, next)
    else if (forAll === undefined) routeHook(own, url)(request, reply, next)
    else forAll(request, reply, (error) => (error ? next(error) : routeHook(own, url)(request, reply, next)))
  })
  done()

  /** One for GET and the HEAD route that Fastify adds to it. */
  function routeHook(own: RateLimitOptions, url: string): Hook {
    const hooks = routeHooks.get(own) ?? new Map<string, Hook>()
    routeHooks.set(own, hooks)
    const made =
      hooks.get(url) ?? hookOf(inherit(common, own.name === undefined ? own : { store: shared, ...own }))
    hooks.set(url, made)
    return made
  }
}

const HOOKS: readonly string[] = ['onRequest', 'preValidation', 'preHandler']

function hasLimit(options: PluginOptions): boolean {
  return options.limit !== undefined || options.limiter !== undefined
}

function pass(_request: unknown, _reply: unknown, done: () => void): void {
  done()
}
