import Fastify, { type FastifyInstance, type FastifyReply } from 'fastify'
import { answer, badParameter, problem } from './answer.js'
import { BadParameter } from './bad-parameter.js'
import { toCheck } from './check.js'
import type { Limits } from './limits.js'
import { answerMalformed } from './malformed.js'

const HINT =
  'Ask GET /check?client_id=NAME (also algorithm, limit, rate_or_window, cost), or GET /health. See README.md.\n'

/** The service without its socket. */
export function createApp(limits: Limits): FastifyInstance {
  const app = Fastify({
    // A HEAD that charges would surprise.
    exposeHeadRoutes: false,
    // A client that never ends its request does not keep its connection.
    requestTimeout: 10_000,
    clientErrorHandler: answerMalformed,
    frameworkErrors: (error, _request, reply) => failed(error, reply.header('Cache-Control', 'no-store')),
  })
  // Every answer is of its moment, and a cache that kept one would let requests pass uncounted.
  app.addHook('onRequest', (_request, reply, done) => {
    reply.header('Cache-Control', 'no-store')
    done()
  })
  app.get('/', (_request, reply) => reply.type('text/plain; charset=utf-8').send(HINT))
  // 200 also while Redis is away: the service still decides, and a balancer that took every node out would end that.
  app.get('/health', () => limits.health())
  app.get('/check', async (request, reply) => {
    const check = toCheck(request.url)
    return answer(reply, check, await limits.decide(check))
  })
  app.setNotFoundHandler((_request, reply) =>
    problem(reply, 404, 'Not found', { detail: `There is no such path or method. ${HINT.trimEnd()}` }),
  )
  app.setErrorHandler((error, _request, reply) => failed(error, reply))
  return app
}

function failed(error: unknown, reply: FastifyReply): FastifyReply {
  if (error instanceof BadParameter) return badParameter(reply, error)
  const { statusCode = 500, message } = error as Error & { statusCode?: number }
  if (statusCode < 500) return problem(reply, statusCode, 'Bad request', { detail: message })
  // What went wrong inside is for the operator.
  console.error(error)
  return problem(reply, 500, 'Internal error', {
    detail: 'The check failed; nothing can be said of its limit.',
  })
}
