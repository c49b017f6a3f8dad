import type { Counted } from '@rl/core'
import type { FastifyReply } from 'fastify'
import type { BadParameter } from './bad-parameter.js'
import type { Check } from './check.js'

/** Writes a decision: 200 or 429, the fields, and a body that repeats them. */
export function answer(reply: FastifyReply, check: Check, decision: Counted): object {
  const { allowed, limit, remaining, retryAfterMs, resetAfterMs, source, reason } = decision
  reply
    .code(allowed ? 200 : 429)
    .header('X-RateLimit-Limit', limit)
    .header('X-RateLimit-Remaining', remaining)
    .header('X-RateLimit-Allowed', String(allowed))
    .header('X-RateLimit-Source', source)
  // Nothing to wait for where the cost is above the limit.
  if (!allowed && retryAfterMs !== null)
    reply.header('Retry-After', Math.max(1, Math.ceil(retryAfterMs / 1000)))
  return {
    allowed,
    client_id: check.clientId,
    algorithm: check.algorithm,
    limit,
    remaining,
    retry_after_ms: retryAfterMs,
    reset_after_ms: resetAfterMs,
    source,
    reason,
  }
}

/** A problem document (RFC 9457). */
export function problem(reply: FastifyReply, status: number, title: string, more: object): FastifyReply {
  return reply
    .code(status)
    .type('application/problem+json')
    .send({ type: 'about:blank', title, status, ...more })
}

/** The 400 for a parameter. */
export function badParameter(reply: FastifyReply, { field, message }: BadParameter): FastifyReply {
  return problem(reply, 400, 'Bad parameter', { field, detail: message })
}
