import { PassThrough } from 'node:stream'
import { getRateLimit, type Hook, type RateLimitOptions, type RateLimitResult, rateLimit } from '@rl/fastify'
import { type FastifyInstance, type FastifyReply, type FastifyRequest, fastify } from 'fastify'
import { storeAtNoon } from './at-noon.js'
import { listen } from './listen.js'
import type { App, Mount, Serve } from './served.js'

/** The application of the contract in Fastify. */
export const serveFastify: Serve = async (described) => {
  const results: Results = []
  const errors: unknown[] = []
  const app =
    described.listen === 'http2' ? (fastify({ http2: true }) as unknown as FastifyInstance) : fastify()
  app.setErrorHandler((error, _request, reply) => {
    errors.push(error)
    return reply.code(500).send('failed')
  })
  if (described.failsBefore) app.addHook('onRequest', fails('of the application'))
  const route = await addLimiters(app, described)
  await app.register(
    async (api) => {
      for (const mount of described.router ?? []) await api.register(rateLimit, optionsOf(mount))
      api.get('/ok', answers(results))
    },
    { prefix: '/api' },
  )
  addLimited(app, route, results)
  addRoutes(app, results)
  await app.ready()
  const { target, close } = await listen(app.server, described.listen)
  const closeAll = async () => {
    await close()
    await app.close()
  }
  return { target, results, errors, close: closeAll }
}

type Results = (RateLimitResult | undefined)[]
interface OnRoute {
  readonly config?: { readonly rateLimit: RateLimitOptions }
  readonly onRequest?: Hook[]
}

/**
 * Limiters of the application are registrations of the plugin, and one on a route stands in its `config`. One that stands
 * in two places is a hook made by hand.
 */
async function addLimiters(app: FastifyInstance, described: App): Promise<OnRoute> {
  const { app: all = [], route = [] } = described
  const hooks = new Map<Mount, Hook>()
  const isRepeated = [...all, ...route].some((mount, i, mounts) => mounts.indexOf(mount) < i)
  const hookOf = (mount: Mount): Hook => {
    const hook = hooks.get(mount) ?? app.rateLimit(optionsOf(mount))
    hooks.set(mount, hook)
    return hook
  }
  if (isRepeated || all.length === 0) await app.register(rateLimit)
  for (const mount of all) {
    if (isRepeated) app.addHook('onRequest', hookOf(mount))
    else await app.register(rateLimit, optionsOf(mount))
  }
  const [first] = route
  if (first === undefined) return {}
  return isRepeated ? { onRequest: route.map(hookOf) } : { config: { rateLimit: optionsOf(first) } }
}

function addLimited(app: FastifyInstance, route: OnRoute, results: Results): void {
  const ok = answers(results)
  app.get('/limited', route, ok)
  // A limit in the config of a route is its own, so a store without a name can't serve two of them.
  const { store, name, ...others } = route.config?.rateLimit ?? {}
  const isOwn = store !== undefined && name === undefined
  app.get('/users/:id', isOwn ? { config: { rateLimit: { ...others, store: storeAtNoon() } } } : route, ok)
}

function addRoutes(app: FastifyInstance, results: Results): void {
  const ok = answers(results)
  app.get('/ok', ok)
  app.post('/ok', ok)
  app.get('/throws', fails('of the handler'))
  app.get('/rejects', () => Promise.reject(new Error('of the handler')))
  app.get('/redirect', (_request, reply) => reply.redirect('/ok'))
  app.get('/streams', (_request, reply) => {
    const body = begun(reply)
    setImmediate(() => body.end('two'))
    return reply
  })
  app.get('/breaks', (_request, reply) => {
    begun(reply)
    setImmediate(() => reply.raw.destroy())
    return reply
  })
  app.get('/hangs', (_request, reply) => {
    begun(reply)
    return reply
  })
  app.get('/waits', () => new Promise(() => {}))
}

/** A body of which only the first part is there. */
function begun(reply: FastifyReply): PassThrough {
  const body = new PassThrough()
  body.write('one')
  reply.send(body)
  return body
}

function answers(results: Results) {
  return (request: FastifyRequest, reply: FastifyReply) => {
    results.push(getRateLimit(request))
    return reply.send('ok')
  }
}

function fails(message: string) {
  return () => {
    throw new Error(message)
  }
}

function optionsOf({ onLimited, ...options }: Mount): RateLimitOptions {
  return { ...options, onLimited: onLimited && REFUSALS[onLimited] }
}

const REFUSALS = {
  answers(_request: FastifyRequest, reply: FastifyReply, result: RateLimitResult) {
    const policy = result.counted ? result.policy : 'none'
    return reply.code(418).send(`${result.limiter}:${policy} ${String(result.key)}`)
  },
  throws() {
    throw new Error('of the refusal')
  },
  rejects: () => Promise.reject(new Error('of the refusal')),
}
