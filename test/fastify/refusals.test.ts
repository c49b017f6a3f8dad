import { type RateLimitOptions, rateLimit } from '@rl/fastify'
import { type FastifyError, type FastifyInstance, fastify } from 'fastify'
import { describe, expect, it, vi } from 'vitest'
import { limitFields } from '../contract/adapter-answers.js'
import { limitAtNoon } from '../contract/at-noon.js'
import { send } from '../support/http-client.js'
import { ok, started } from './served.js'

type Thrown = FastifyError & { readonly rateLimit: { readonly policy: string } }

const refused = {
  'ratelimit-policy': '"1m";q=0;w=60',
  ratelimit: '"1m";r=0',
  'cache-control': 'no-store',
}

/** What a client of `/` gets against a limit of none. */
async function refusal(options: Omit<RateLimitOptions, 'limit'>, prepare = (_app: FastifyInstance) => {}) {
  const app = fastify()
  prepare(app)
  app.register(rateLimit, { ...limitAtNoon(0), ...options }).get('/', ok)
  return send(await started(app), '/')
}

describe('a refusal of ours', () => {
  it('leaves the answer to an error handler as it is, where a hook fails on it', async () => {
    const answer = await refusal({}, (app) => {
      app.addHook('onSend', (_request, reply, _body, done) => {
        if (reply.statusCode === 429) done(new Error('boom'))
        else done()
      })
      app.setErrorHandler((error: FastifyError, _request, reply) =>
        reply.code(500).send({ oops: error.message }),
      )
    })
    expect([answer.status, answer.body]).toEqual([500, '{"oops":"boom"}'])
  })
})

describe('onLimited', () => {
  it.each<[string, RateLimitOptions['onLimited'], string | undefined, string]>([
    ['an object', () => ({ error: 'slow' }), 'application/json; charset=utf-8', '{"error":"slow"}'],
    [
      'a promise of one',
      async () => ({ error: 'slow' }),
      'application/json; charset=utf-8',
      '{"error":"slow"}',
    ],
    ['text', () => 'slow', 'text/plain; charset=utf-8', 'slow'],
    ['nothing', () => undefined, undefined, ''],
    ['what it sent', (_request, reply) => reply.send('sent'), 'text/plain; charset=utf-8', 'sent'],
    [
      'what it will send',
      (_request, reply) => {
        setImmediate(() => reply.send('late'))
        return reply
      },
      'text/plain; charset=utf-8',
      'late',
    ],
  ])(
    'B98: gives %s as the body; the status is 429 and the fields are there',
    async (_, onLimited, type, body) => {
      const answer = await refusal({ onLimited })
      expect([answer.status, answer.fields['content-type'], answer.body]).toEqual([429, type, body])
      expect(limitFields(answer)).toEqual(refused)
    },
  )

  it('may say another status', async () => {
    const answer = await refusal({ onLimited: (_request, reply) => reply.code(403).send({ banned: true }) })
    expect([answer.status, answer.body]).toEqual([403, '{"banned":true}'])
  })

  it('may take the connection over', async () => {
    const answer = await refusal({
      onLimited: (_request, reply) => {
        reply.hijack()
        reply.raw.writeHead(429).end('raw')
      },
    })
    expect([answer.status, answer.body]).toEqual([429, 'raw'])
  })
})

describe('throw', () => {
  it('B98, B46: the error handler sees statusCode and result, and what it answers has the fields', async () => {
    const seen = vi.fn()
    const answer = await refusal({ throw: true }, (app) =>
      app.setErrorHandler<Thrown>((error, _request, reply) => {
        seen(error.statusCode, error.message, error.rateLimit.policy)
        return reply.code(error.statusCode ?? 500).send({ error: 'slow' })
      }),
    )
    expect(seen.mock.calls).toEqual([[429, 'Too Many Requests', '1m']])
    expect([answer.status, answer.body, limitFields(answer)]).toEqual([429, '{"error":"slow"}', refused])
  })

  it('without an error handler it is Fastify’s own answer to a 429', async () => {
    const answer = await refusal({ throw: true })
    expect(JSON.parse(answer.body)).toEqual({
      statusCode: 429,
      error: 'Too Many Requests',
      message: 'Too Many Requests',
    })
    expect(limitFields(answer)).toEqual(refused)
  })

  it('is a 503 where nobody could count', async () => {
    const store = {
      consume: () => Promise.reject(new Error('of the store')),
      settle: () => undefined,
      reset: () => undefined,
      close: () => undefined,
    }
    const logger = { warn: () => {}, error: () => {} }
    const answer = await refusal({ throw: true, store, onStoreFailure: 'closed', logger })
    expect(JSON.parse(answer.body)).toMatchObject({ statusCode: 503, message: 'Service Unavailable' })
  })

  it('may be said for one route', async () => {
    const handled = vi.fn()
    const app = fastify()
    app.setErrorHandler((_error, _request, reply) => {
      handled()
      return reply.code(429).send('thrown')
    })
    await app.register(rateLimit, { ...limitAtNoon(9), name: 'all' })
    app.get('/a', { config: { rateLimit: { ...limitAtNoon(0), throw: true } } }, ok)
    app.get('/b', { config: { rateLimit: { ...limitAtNoon(0) } } }, ok)
    const target = await started(app)
    expect([(await send(target, '/a')).body, (await send(target, '/b')).status]).toEqual(['thrown', 429])
    expect(handled).toHaveBeenCalledOnce()
  })
})
