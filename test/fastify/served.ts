import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { onTestFinished } from 'vitest'
import { listen } from '../contract/listen.js'
import type { Target } from '../support/http-client.js'

/** Listens until the test is over. Rejects when a plugin did not load. */
export async function started(app: FastifyInstance): Promise<Target> {
  await app.ready()
  const { target, close } = await listen(app.server)
  onTestFinished(async () => {
    await close()
    await app.close()
  })
  return target
}

/** A handler. */
export function ok(_request: FastifyRequest, reply: FastifyReply): FastifyReply {
  return reply.send('ok')
}
