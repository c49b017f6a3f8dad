import type { Server } from 'node:http'
import { createServer } from 'node:http2'
import { createAdaptorServer, type HttpBindings } from '@hono/node-server'
import { getConnInfo } from '@hono/node-server/conninfo'
import { getRateLimit, type RateLimitMiddleware, type RateLimitResult, rateLimit } from '@rl/hono'
import { type Context, Hono } from 'hono'
import { listen } from './listen.js'
import type { Mount, Serve } from './served.js'

type Env = { Bindings: HttpBindings }

/** The application of the contract in Hono on Node. */
export const serveHono: Serve = async (described) => {
  const results: Results = []
  const errors: unknown[] = []
  const limiters = middleware()
  const app = new Hono<Env>()
  app.onError((error, c) => {
    errors.push(error)
    return c.text('failed', 500)
  })
  if (described.failsBefore) app.use(fails('of the application'))
  for (const limiter of limiters(described.app)) app.use(limiter)
  const api = new Hono<Env>()
  for (const limiter of limiters(described.router)) api.use(limiter)
  app.route('/api', api.get('/ok', answers(results)))
  addRoutes(app, limiters(described.route), results)
  const http2 = described.listen === 'http2' ? { createServer } : {}
  const server = createAdaptorServer({ fetch: app.fetch, ...http2 }) as Server
  return { ...(await listen(server, described.listen)), results, errors }
}

type Results = (RateLimitResult | undefined)[]

function addRoutes(app: Hono<Env>, onRoute: readonly RateLimitMiddleware[], results: Results): void {
  const ok = answers(results)
  app.get('/ok', ok).post('/ok', ok)
  app.on('GET', ['/limited', '/users/:id'], ...onRoute, ok)
  app.get('/throws', fails('of the handler'))
  app.get('/rejects', () => Promise.reject(new Error('of the handler')))
  app.get('/redirect', (c) => c.redirect('/ok'))
  app.get('/streams', () => begun((end) => end('two')))
  app.get('/breaks', (c) => begun(() => breakOnceSent(c.env.outgoing)))
  app.get('/hangs', () => begun(() => {}))
  app.get('/waits', () => new Promise(() => {}))
}

/** A raw Response with the first part of a body, and what happens then. */
function begun(then: (end: (last: string) => void) => void): Response {
  const encoder = new TextEncoder()
  const body = new ReadableStream({
    start(controller) {
      controller.enqueue(encoder.encode('one'))
      const end = (last: string) => {
        controller.enqueue(encoder.encode(last))
        controller.close()
      }
      // Not at once: node-server joins what is there already into one body.
      setTimeout(then, 5, end)
    },
  })
  return new Response(body)
}

/** When the first part has left: node-server writes it in a turn of its own, which may come late. */
function breakOnceSent(outgoing: HttpBindings['outgoing']): void {
  if (outgoing.headersSent) outgoing.destroy()
  else setImmediate(breakOnceSent, outgoing)
}

function answers(results: Results) {
  return (c: Context) => {
    results.push(getRateLimit(c))
    return c.text('ok')
  }
}

function fails(message: string) {
  return () => {
    throw new Error(message)
  }
}

type Limiters = (mounts?: readonly Mount[]) => readonly RateLimitMiddleware[]

function middleware(): Limiters {
  const made = new Map<Mount, RateLimitMiddleware>()
  return (mounts = []) =>
    mounts.map((mount) => {
      const { onLimited, ...options } = mount
      const limiter =
        made.get(mount) ?? rateLimit({ ...options, getConnInfo, onLimited: onLimited && REFUSALS[onLimited] })
      made.set(mount, limiter)
      return limiter
    })
}

const REFUSALS = {
  answers(c: Context, result: RateLimitResult) {
    const policy = result.counted ? result.policy : 'none'
    return c.text(`${result.limiter}:${policy} ${String(result.key)}`, 418)
  },
  throws() {
    throw new Error('of the refusal')
  },
  rejects: () => Promise.reject(new Error('of the refusal')),
}
