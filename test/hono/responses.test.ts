import { createServer } from 'node:http'
import { rateLimit } from '@rl/hono'
import { type Context, Hono } from 'hono'
import { HTTPException } from 'hono/http-exception'
import { stream } from 'hono/streaming'
import { describe, expect, it, onTestFinished } from 'vitest'
import { limitFields } from '../contract/adapter-answers.js'
import { limitAtNoon } from '../contract/at-noon.js'
import { listen } from '../contract/listen.js'
import { send } from '../support/http-client.js'
import { onNode, started } from './served.js'

const told = { 'ratelimit-policy': '"1m";q=3;w=60', ratelimit: '"1m";r=2;t=60' }
const constant = new Response(null, { status: 204 })

/** A server whose answers Hono passes on: their headers can't be changed. */
async function upstream(): Promise<string> {
  const { target, close } = await listen(createServer((_req, res) => res.end('upstream')))
  onTestFinished(close)
  return `http://127.0.0.1:${'port' in target ? target.port : 0}/`
}

describe('row 88: responses of every kind have the fields', () => {
  it.each<[string, number, (c: Context) => Response | Promise<Response>]>([
    ['c.text', 200, (c) => c.text('ok')],
    ['a raw Response', 200, () => new Response('ok')],
    ['a raw Response with a field of its own', 200, () => new Response('ok', { headers: { 'X-Own': '1' } })],
    ['one Response for all', 204, () => constant],
    ['c.redirect', 302, (c) => c.redirect('/other')],
    ['Response.redirect, which can’t be changed', 302, () => Response.redirect('http://a/other', 302)],
    [
      'Response.error',
      500,
      () => {
        throw new HTTPException(500)
      },
    ],
    ['what fetch gives, which can’t be changed', 200, async () => fetch(await upstream())],
    [
      'a stream',
      200,
      (c) =>
        stream(c, async (body) => {
          await body.write('one')
        }),
    ],
    ['no body', 204, (c) => c.body(null, 204)],
    ['c.notFound', 404, (c) => c.notFound()],
  ])('%s', async (_kind, status, answer) => {
    const app = new Hono().use(rateLimit(onNode(3))).get('/', answer)
    const seen = await send(await started(app), '/')
    expect([seen.status, limitFields(seen)]).toEqual([status, told])
  })

  it('one Response for all requests is not changed itself', async () => {
    const app = new Hono().use(rateLimit(onNode(3))).get('/', () => constant)
    await send(await started(app), '/')
    expect([...constant.headers]).toEqual([])
  })

  it('the default 404, and one of the application', async () => {
    const bare = new Hono().use(rateLimit(onNode(3)))
    const own = new Hono().use(rateLimit(onNode(3))).notFound(() => new Response('none', { status: 404 }))
    for (const app of [bare, own]) {
      const answer = await send(await started(app), '/')
      expect([answer.status, limitFields(answer)]).toEqual([404, told])
    }
  })

  it('an application below another: with route() they count as one, with mount() the outer fields stand', async () => {
    const inner = new Hono().use(rateLimit({ ...onNode(5), name: 'inner' })).get('/ok', (c) => c.text('ok'))
    const app = new Hono().use(rateLimit({ ...onNode(3), name: 'outer' }))
    app.route('/routed', inner).mount('/mounted', inner.fetch)
    const target = await started(app)
    const [routed, mounted] = [await send(target, '/routed/ok'), await send(target, '/mounted/ok')]
    expect(routed.fields.ratelimit).toBe('"outer:1m";r=2;t=60, "inner:1m";r=4;t=60')
    expect(mounted.fields.ratelimit).toBe('"outer:1m";r=1;t=60')
  })

  it('an accepted upgrade (101) is handed on as it is: a runtime knows it by identity', async () => {
    const accepted = Object.defineProperty(new Response(null), 'status', { value: 101 })
    const app = new Hono().use(rateLimit({ ...limitAtNoon(3), key: () => 'k', onDone: () => {} }))
    app.get('/', () => accepted)
    expect(await app.fetch(new Request('http://a/'))).toBe(accepted)
  })
})

describe('row 87: errors', () => {
  it.each<[string, () => unknown]>([
    ['a raw Response', () => new Response('failed', { status: 500 })],
    ['what Hono answers by itself', () => undefined],
  ])('keep the fields when the error handler gives %s', async (_kind, answer) => {
    const app = new Hono().use(rateLimit(onNode(3)))
    app.get('/', () => {
      throw new Error('of the handler')
    })
    if (answer() !== undefined) app.onError(answer as () => Response)
    else app.onError((_error, c) => c.text('failed', 500))
    const seen = await send(await started(app), '/')
    expect([seen.status, limitFields(seen)]).toEqual([500, told])
  })

  it('of an HTTPException with a response of its own, too', async () => {
    const app = new Hono().use(rateLimit(onNode(3))).get('/', () => {
      throw new HTTPException(401, { res: new Response('who?', { status: 401 }) })
    })
    const seen = await send(await started(app), '/')
    expect([seen.status, seen.body, limitFields(seen)]).toEqual([401, 'who?', told])
  })
})

describe('refusals', () => {
  const refused = {
    'ratelimit-policy': '"1m";q=0;w=60',
    ratelimit: '"1m";r=0',
    'cache-control': 'no-store',
  }

  it('B46: an onLimited that throws an HTTPException has the fields', async () => {
    const onLimited = () => {
      throw new HTTPException(429, { message: 'slow down' })
    }
    const app = new Hono().use(rateLimit({ ...onNode(0), onLimited }))
    const seen = await send(await started(app), '/')
    expect([seen.status, seen.body, limitFields(seen)]).toEqual([429, 'slow down', refused])
  })

  it.each<[string, number, (c: Context) => Response]>([
    ['c.json takes the status over', 429, (c) => c.json({ error: 'slow' })],
    ['c.json with a status', 420, (c) => c.json({ error: 'slow' }, 420 as 429)],
    ['a raw Response has its own', 418, () => new Response('slow', { status: 418 })],
    ['a redirect', 302, () => Response.redirect('http://a/slow', 302)],
  ])(
    'an onLimited that answers is not followed by the default answer: %s',
    async (_kind, status, onLimited) => {
      const app = new Hono().use(rateLimit({ ...onNode(0), onLimited })).get('/', (c) => c.text('ok'))
      const seen = await send(await started(app), '/')
      expect([seen.status, limitFields(seen)]).toEqual([status, refused])
      expect(seen.body).not.toContain('quota')
    },
  )
})
