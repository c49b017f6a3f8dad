import type { MaybePromise } from '@rl/core'
import { createGuard, type Field, type Guard, onResponseEnd, toError, type Verdict } from '@rl/core/http'
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

  function follow(verdict: Verdict, request: FastifyRequest, reply: FastifyReply, done: Done): void {
    if (verdict.tightest !== undefined) request.rateLimit = verdict.tightest
    const isSent = reply.sent
    if (!isSent) setFields(reply, verdict.headers)
    if (verdict.allowed) done()
    else if (!isSent) refuse(verdict, request, reply, done)
  }

  function refuse(refusal: Refused, request: FastifyRequest, reply: FastifyReply, done: Done): void {
    const { status, type, body, result } = refusal
    reply.code(status)
    if (options.throw) {
      done(Object.assign(new Error(PHRASES[status]), { statusCode: status, rateLimit: result }))
    } else if (options.onLimited === undefined) {
      // Without a serializer, Fastify would add a charset, which JSON does not have, to the type of a string.
      reply.header('content-type', type).serializer(asItIs).send(body)
    } else {
      const own = options.onLimited
      Promise.resolve()
        .then(() => own(request, reply, result))
        .then((answer) => {
          if (!reply.sent) reply.send(answer)
        })
        .catch((thrown) => fail(thrown, done))
    }
  }

  return function rateLimit(request, reply, done) {
    let verdict: MaybePromise<Verdict>
    try {
      verdict = check(guard, request, reply)
    } catch (error) {
      fail(error, done)
      return
    }
    if (!('then' in verdict)) follow(verdict, request, reply, done)
    else
      verdict.then(
        (known) => follow(known, request, reply, done),
        (error: unknown) => fail(error, done),
      )
  }
}

function fail(thrown: unknown, done: Done): void {
  done(toError(thrown) as Error)
}

function setFields(reply: FastifyReply, fields: readonly Field[]): void {
  for (const [name, value] of fields) reply.header(lowerCase(name), value)
}

const lowerCased = new Map<string, string>()

/** Fastify lower-cases each name, and then V8 has to look for the one that it knows: of ours it is remembered. */
function lowerCase(name: string): string {
  const known = lowerCased.get(name)
  if (known !== undefined) return known
  const lowered = name.toLowerCase()
  lowerCased.set(name, lowered)
  return lowered
}

/** Of ours. What an error handler sends in its place is JSON. */
function asItIs(body: unknown): string {
  return typeof body === 'string' ? body : JSON.stringify(body)
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
