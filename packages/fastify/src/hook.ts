import type { MaybePromise } from '@rl/core'
import { createGuard, type Guard, onResponseEnd, rateLimitOf, toError, type Verdict } from '@rl/core/http'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { FastifyView } from './fastify-view.js'
import { OWN_OPTIONS, type RateLimitOptions } from './options.js'

type Done = (error?: Error) => void
/** Of the statuses of a refusal. */
const PHRASES: Readonly<Record<number, string>> = {
  403: 'Forbidden',
  429: 'Too Many Requests',
  503: 'Service Unavailable',
}

type Refused = Extract<Verdict, { allowed: false }>

/** A hook of Fastify, in the form with a callback: it fits every phase that has no payload. */
export type Hook = (request: FastifyRequest, reply: FastifyReply, done: Done) => void

/** A limiter as a hook. @throws RateLimitError `RL_CONFIG` */
export function hookOf(options: RateLimitOptions): Hook {
  const guard = createGuard(options, OWN_OPTIONS)

  return function rateLimit(request, reply, done) {
    const fail = (thrown: unknown) => done(toError(thrown) as Error)
    let verdict: MaybePromise<Verdict>
    try {
      verdict = check(guard, request, reply)
    } catch (error) {
      fail(error)
      return
    }
    if ('then' in verdict) verdict.then(follow, fail)
    else follow(verdict)

    function follow(verdict: Verdict): void {
      if (verdict.result !== undefined) request.rateLimit = rateLimitOf(request.raw) ?? null
      if (!reply.sent) for (const [name, value] of verdict.headers) reply.header(name, value)
      if (verdict.allowed) done()
      else if (!reply.sent) refuse(verdict)
    }

    function refuse(refusal: Refused): void {
      const { status, type, body, result } = refusal
      reply.code(status)
      if (options.throw) {
        done(Object.assign(new Error(PHRASES[status]), { statusCode: status, rateLimit: result }))
      } else if (options.onLimited === undefined) {
        // As bytes: Fastify would add a charset, which JSON does not have, to the type of a string.
        reply.header('Content-Type', type).send(new TextEncoder().encode(body))
      } else {
        const own = options.onLimited
        Promise.resolve()
          .then(() => own(request, reply, result))
          .then((answer) => {
            if (!reply.sent) reply.send(answer)
          })
          .catch(fail)
      }
    }
  }
}

function check(
  guard: Guard<FastifyRequest>,
  request: FastifyRequest,
  reply: FastifyReply,
): MaybePromise<Verdict> {
  const view = new FastifyView(request)
  if (guard.done !== undefined) onResponseEnd(reply.raw, (outcome) => guard.done?.(view, request, outcome))
  return guard.check(view, request)
}
