import type { RequestListener } from 'node:http'
import { rateLimit } from '@rl/fastify'
import { type FastifyServerOptions, fastify } from 'fastify'
import { describe, expect, it } from 'vitest'
import { limitAtNoon } from '../contract/at-noon.js'
import { send, sendRaw } from '../support/http-client.js'
import { statusesOf, statusesOfPosts } from '../support/statuses.js'
import { ACCEPTED, routeUpgrades, UPGRADE } from '../support/upgrade.js'
import { ok, started } from './served.js'

/** `/login` behind a limit of two, and one of nine for all. */
async function loginApp(options: FastifyServerOptions = {}) {
  const app = fastify(options)
  await app.register(rateLimit, { ...limitAtNoon(9), name: 'all' })
  app.get('/login', { config: { rateLimit: { ...limitAtNoon(2), name: 'login' } } }, ok)
  app.get('/users/:id', ok)
  return app
}

// The rows that every framework answers alike stand in the contract.
describe('hostile inputs, by the row of their table', () => {
  it.each<[row: string, paths: readonly string[], statuses: readonly number[]]>([
    ['row 52: other spellings do not match', ['/Login', '/login/', '/login'], [404, 404, 200]],
    ['row 53: encoded letters are one bucket', ['/%6cogin', '/log%69n', '/login'], [200, 200, 429]],
    ['row 54: dots do not match', ['/./login', '/x/../login', '/%2e/login'], [404, 404, 404]],
    ['row 56: queries and fragments', ['/login?x=1', '/login#x', '/login?x=2'], [200, 200, 429]],
    ['row 57: never a crash', ['//login', '/login;a=b', '/login%00', '/login%2f'], [404, 404, 404, 404]],
    ['row 57: never a crash', ['/login\\', '/login%', '/users/%', '/users/%ff'], [404, 400, 400, 400]],
  ])('%s: %j', async (_row, paths, statuses) => {
    expect(await statusesOf(await started(await loginApp()), ...paths)).toEqual(statuses)
  })

  it.each<[option: object, paths: readonly string[]]>([
    [{ ignoreTrailingSlash: true }, ['/login/', '/login', '/login/']],
    [{ ignoreDuplicateSlashes: true }, ['//login', '/login', '///login']],
    [{ caseSensitive: false }, ['/Login', '/login', '/LOGIN']],
    [{ useSemicolonDelimiter: true }, ['/login;a=b', '/login', '/login;c']],
  ])('row 58: with %o the spellings that match are one bucket', async (routerOptions, paths) => {
    const target = await started(await loginApp({ routerOptions }))
    expect(await statusesOf(target, ...paths)).toEqual([200, 200, 429])
  })

  it.each(['both', 'slash', 'no-slash'] as const)(
    'row 58: a prefix alone, with prefixTrailingSlash %s, is one bucket',
    async (prefixTrailingSlash) => {
      const app = fastify()
      await app.register(rateLimit)
      const options = { prefixTrailingSlash, config: { rateLimit: limitAtNoon(2) } }
      app.register(async (api) => api.get('/', options, ok), { prefix: '/v1' })
      const spellings = { both: ['/v1', '/v1/'], slash: ['/v1/', '/v1/'], 'no-slash': ['/v1', '/v1'] }
      const [a = '', b = ''] = spellings[prefixTrailingSlash]
      const target = await started(app)
      expect(await statusesOf(target, a, b, a, b)).toEqual([200, 200, 429, 429])
      expect((await send(target, b, { method: 'HEAD' })).status).toBe(429)
    },
  )

  it('row 58: a URL that a rewrite changes counts as what it becomes', async () => {
    const app = await loginApp({ rewriteUrl: ({ url = '' }) => url.replace(/^\/v\d/, '') })
    expect(await statusesOf(await started(app), '/v1/login', '/v2/login', '/login')).toEqual([200, 200, 429])
  })

  it('row 60: OPTIONS of a route counts for all, not for the route', async () => {
    const answer = await send(await started(await loginApp()), '/login', { method: 'OPTIONS' })
    expect([answer.status, answer.fields.ratelimit]).toEqual([404, '"all:1m";r=8;t=60'])
  })

  it('row 64: a list of a thousand operations costs a thousand, and is refused as a whole', async () => {
    const app = fastify()
    const cost = ({ body }: { body: unknown }) => (body as unknown[]).length
    app.register(rateLimit, { ...limitAtNoon(900), hook: 'preHandler', cost }).post('/', ok)
    const operations = (count: number) => Array.from({ length: count }, () => ({ query: '{ me }' }))
    const statuses = await statusesOfPosts(await started(app), '/', operations(1000), operations(900))
    expect(statuses).toEqual([429, 200])
  })

  it('row 65: what a body says does not change whom a request counts for', async () => {
    const app = fastify()
    app.register(rateLimit, { ...limitAtNoon(2), hook: 'preHandler' }).post('/', ok)
    const bodies = [{ email: 'a@example.org' }, { email: 'b@example.org' }, { email: 'c@example.org' }]
    expect(await statusesOfPosts(await started(app), '/', ...bodies)).toEqual([200, 200, 429])
  })

  it('row 67: an upgrade that goes through the application counts once, and is refused with a plain 429', async () => {
    const app = fastify()
    app.register(rateLimit, limitAtNoon(1)).get('/socket', (request, reply) => {
      reply.hijack()
      request.raw.socket.end(ACCEPTED)
    })
    routeUpgrades(app.server, app.routing as RequestListener)
    const target = await started(app)
    const [first, second] = [await sendRaw(target, UPGRADE), await sendRaw(target, UPGRADE)]
    expect(first).toBe(ACCEPTED)
    expect(second).toMatch(/^HTTP\/1\.1 429 Too Many Requests\r\n/)
    expect(second).toContain('ratelimit: "1m";r=0;t=60\r\n')
  })

  it('row 88: redirects, streams and empty answers have the fields', async () => {
    const app = fastify()
    app.register(rateLimit, limitAtNoon(9))
    app.get('/redirect', (_request, reply) => reply.redirect('/other'))
    app.get('/empty', (_request, reply) => reply.code(204).send())
    app.get('/response', () => new Response('web', { status: 201 }))
    const target = await started(app)
    const seen = []
    for (const path of ['/redirect', '/empty', '/response']) {
      const { status, fields } = await send(target, path)
      seen.push([status, fields.ratelimit])
    }
    expect(seen).toEqual([
      [302, '"1m";r=8;t=60'],
      [204, '"1m";r=7;t=60'],
      [201, '"1m";r=6;t=60'],
    ])
  })
})
