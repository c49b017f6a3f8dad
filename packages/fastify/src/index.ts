import { memoryStore } from '@rl/core'
import { type RateLimitResult, REQUEST_STATE, rateLimitOf } from '@rl/core/http'
import type { FastifyInstance, FastifyPluginCallback, FastifyRequest } from 'fastify'
import fastifyPlugin from 'fastify-plugin'
import { type Hook, hookOf } from './hook.js'
import { checkPluginOptions, inherit, type PluginOptions, type RateLimitOptions } from './options.js'

export { fixedWindow, memoryStore, slidingLog, slidingWindow, tokenBucket } from '@rl/core'
export {
  byApiKey,
  byCookie,
  byHeader,
  byIp,
  byRoute,
  byUser,
  cachedLimit,
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
  return rateLimitOf(request.raw, name, request)
}

/** The registration that is in charge of the routes of a scope: the last of the innermost. */
const REGISTRATION = Symbol.for('@rl/fastify.registration')
/** On the config of a route with a limit of its own: its hook, and which registration runs it. */
const ROUTE = Symbol.for('@rl/fastify.route')

interface Scope {
  [REGISTRATION]?: object
}

interface RouteConfig {
  rateLimit?: RateLimitOptions | false
  [ROUTE]?: { readonly by: object; readonly hook: Hook }
}

function plugin(app: FastifyInstance, options: PluginOptions, done: (error?: Error) => void): void {
  try {
    setUp(app, options)
  } catch (error) {
    // Fastify does not catch what a plugin of this form throws: it would wait for ten seconds, and forget the reason.
    done(error as Error)
    return
  }
  done()
}

function setUp(app: FastifyInstance, options: PluginOptions): void {
  const { hook = 'onRequest', ...common } = checkPluginOptions(options)
  const forAll = 'limit' in common || 'limiter' in common ? hookOf(common) : pass
  // Named limits of the same kind are a group, which takes one store.
  const shared = common.store ?? memoryStore()
  const hookFrom = (own: RateLimitOptions) => hookOf(inherit(common, own, shared))
  const hookOfRoute = routeHooks(hookFrom)
  const scope = app as Scope
  scope[REGISTRATION] = common

  for (const name of ['rateLimit', REQUEST_STATE]) {
    if (!app.hasRequestDecorator(name)) app.decorateRequest(name, null)
  }
  // In a scope of its own the decorator is another one than further out.
  if (!Object.hasOwn(app, 'rateLimit')) {
    app.decorate('rateLimit', (own) => (own === undefined ? forAll : hookFrom(own)))
  }
  // Wrong options are to throw when the route is declared.
  app.addHook('onRoute', function (this: FastifyInstance, route) {
    const own = route.config?.rateLimit
    if (own === undefined || own === false || (this as Scope)[REGISTRATION] !== common) return
    const config: RouteConfig = {
      ...route.config,
      [ROUTE]: { by: common, hook: hookOfRoute(own, route.url) },
    }
    route.config = config
  })
  // Of one type for TypeScript: it knows no overload for a choice of hooks.
  app.addHook(hook as 'onRequest', (request, reply, next) => {
    const config: RouteConfig & { url?: string } = request.routeOptions.config
    const own = config.rateLimit
    if (own === false) return next()
    if (own === undefined) return forAll(request, reply, next)
    // A route that is older than this plugin.
    config[ROUTE] ??= { by: common, hook: hookOfRoute(own, config.url ?? '') }
    const { by, hook } = config[ROUTE]
    if (by !== common) return forAll(request, reply, next)
    forAll(request, reply, (error) => (error ? next(error) : hook(request, reply, next)))
  })
}

/** One hook for a GET route and the HEAD route that Fastify adds to it, which for a prefix alone ends in a slash. */
function routeHooks(hookFrom: (own: RateLimitOptions) => Hook): (own: RateLimitOptions, url: string) => Hook {
  const made = new WeakMap<object, Map<string, Hook>>()
  return (own, url) => {
    const hooks = made.get(own) ?? new Map<string, Hook>()
    const route = url.replace(/\/$/, '')
    const hook = hooks.get(route) ?? hookFrom(own)
    made.set(own, hooks.set(route, hook))
    return hook
  }
}

function pass(_request: unknown, _reply: unknown, done: () => void): void {
  done()
}
