import { once } from 'node:events'
import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  request,
  type ServerResponse,
} from 'node:http'
import { createServer as createTcpServer } from 'node:net'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createApp } from '../../examples/gateway/src/app.js'
import { readFlags } from '../../examples/gateway/src/flags.js'
import { limitsOf } from '../../examples/gateway/src/limits.js'
import { createMetrics } from '../../examples/gateway/src/metrics.js'
import { createProxy } from '../../examples/gateway/src/proxy.js'
import { proxiesOf } from '../../examples/gateway/src/proxy-headers.js'
import { listen } from '../contract/listen.js'
import { freePort } from '../support/free-port.js'
import { open, rawGet, send, sendRaw, type Target } from '../support/http-client.js'
import { waitUntil } from '../support/wait-until.js'

/** A gateway of this process before an upstream. */
async function before(handler: RequestListener, flags: readonly string[] = []): Promise<Target> {
  const { target, close } = await listen(createServer(handler))
  onTestFinished(close)
  const { port } = target as { readonly port: number }
  return gatewayTo(`http://127.0.0.1:${port}`, ['--rate', '1000', ...flags])
}

async function gatewayTo(url: string, args: readonly string[]): Promise<Target> {
  const flags = readFlags(['--upstream', url, ...args])
  const limits = await limitsOf(flags)
  const metrics = createMetrics()
  const isProxy = proxiesOf(flags.trust)
  const onFailure = metrics.upstreamFailed
  const proxy = flags.upstream && createProxy({ ...flags.upstream, isProxy, onFailure })
  onTestFinished(() => metrics.close())
  const app = createApp({ limits, metrics, proxy })
  const { target, close } = await listen(createServer(app))
  onTestFinished(close)
  return target
}

/** What an upstream was asked. */
function echo(req: IncomingMessage, res: ServerResponse): void {
  let body = ''
  req.setEncoding('utf8').on('data', (part: string) => {
    body += part
  })
  req.on('end', () =>
    res.end(JSON.stringify({ method: req.method, url: req.url, headers: req.headers, body })),
  )
}

async function seenBy(target: Target, headers: Record<string, string>, path = '/a/b?c=d') {
  const { body } = await send(target, path, { headers })
  return JSON.parse(body) as { method: string; url: string; headers: Record<string, string>; body: string }
}

describe('what goes to the upstream', () => {
  it('all that is not for the gateway, with a limit; /health and /metrics without', async () => {
    const target = await before((req, res) => void res.end(`upstream ${req.url}`))
    const answers = []
    for (const path of ['/', '/api/other', '/api/ping', '/health', '/metrics'])
      answers.push(await send(target, path))
    const told = answers.map(({ status, body, fields }) => [
      status,
      body.slice(0, 18),
      'x-ratelimit-limit' in fields,
    ])
    expect(told).toEqual([
      [200, 'upstream /', true],
      [200, 'upstream /api/othe', true],
      [200, '{"pong":true}', true],
      [200, '{"status":"ok","co', false],
      [200, '# HELP rl_rate_lim', false],
    ])
  })

  it.each([
    '/files/a//b.txt?sig=1',
    '/a\\b',
    '//metrics',
    '//api//ping',
    '/METRICS',
    '/Health',
    '/a/../b/./c',
    '/%2e%2e/%2F?x=//y#z',
    '/proxy/http://other.example/x',
  ])('the path as it was written, limited, where it is not the gateway’s own: %s', async (path) => {
    const target = await before((req, res) => void res.end(`upstream ${req.url}`))
    const answer = await sendRaw(target, `GET ${path} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`)
    expect(answer).toContain(`\r\n\r\n`)
    expect(answer).toContain(`upstream ${path}`)
    expect(answer.toLowerCase()).toContain('x-ratelimit-limit: 1000')
  })

  it('a request that is refused does not reach it', async () => {
    let asked = 0
    const target = await before(
      (_req, res) => {
        asked++
        res.end()
      },
      ['--rate', '1', '--window', '1h'],
    )
    const statuses = [(await send(target, '/')).status, (await send(target, '/x')).status]
    expect([statuses, asked]).toEqual([[200, 429], 1])
  })

  it('method, path, query and body as they came; who asked in X-Forwarded-*', async () => {
    const target = await before(echo)
    const { body } = await send(target, '/a/b?c=d', {
      method: 'PUT',
      body: 'hello',
      headers: { 'X-Own': '1' },
    })
    const seen = JSON.parse(body)
    expect(seen).toMatchObject({ method: 'PUT', url: '/a/b?c=d', body: 'hello' })
    expect(seen.headers).toMatchObject({
      'x-own': '1',
      'x-forwarded-for': '127.0.0.1',
      'x-forwarded-proto': 'http',
      'x-forwarded-host': expect.stringMatching(/^127\.0\.0\.1:\d+$/),
    })
  })

  it.each([
    '/files/a//b.txt?sig=1',
    '/a\\b',
    '//metrics',
    '/metrics/',
    '/METRICS',
    '/%6Detrics',
    '/api/ping/',
    '/a/../b/./c?x=//?y',
    '/%',
  ])('the target %s goes on as it is, with a limit', async (path) => {
    const target = await before((req, res) => void res.end(`upstream ${req.url}`))
    const answer = await sendRaw(target, `GET ${path} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`)
    expect(answer).toMatch(/^HTTP\/1\.1 200 OK\r\n[\s\S]*X-RateLimit-Limit: 1000/)
    expect(answer).toContain(`upstream ${path}`)
  })

  it('behind the path of the upstream; of a whole URL what follows the host', async () => {
    const { target, close } = await listen(createServer(echo))
    onTestFinished(close)
    const { port } = target as { readonly port: number }
    const gateway = await gatewayTo(`http://127.0.0.1:${port}/base/`, [])
    for (const path of ['//a', 'http://b.example//a']) {
      const answer = await sendRaw(gateway, `GET ${path} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`)
      expect(answer).toContain('"url":"/base//a"')
    }
  })

  it('what a client says of its address is dropped, unless it is a trusted proxy', async () => {
    const said = {
      'X-Forwarded-For': '198.51.100.1',
      'X-Forwarded-Host': 'evil.example',
      'X-Forwarded-Proto': 'https',
      Forwarded: 'for=198.51.100.1',
      'X-Real-IP': '198.51.100.1',
    }
    const { headers } = await seenBy(await before(echo), said)
    expect(headers).toMatchObject({ 'x-forwarded-for': '127.0.0.1', 'x-forwarded-proto': 'http' })
    expect(JSON.stringify(headers)).not.toMatch(/evil|198\.51/)
    const trusting = await before(echo, ['--trusted-proxies', 'loopback'])
    expect((await seenBy(trusting, said)).headers).toMatchObject({
      'x-forwarded-for': '198.51.100.1, 127.0.0.1',
      'x-forwarded-proto': 'https',
      'x-forwarded-host': 'evil.example',
    })
  })

  it('headers between two neighbours stay there, in both directions', async () => {
    const target = await before((req, res) => {
      res.setHeader('Connection', 'close, X-Hop')
      res.setHeader('X-Hop', '1')
      res.setHeader('Proxy-Authenticate', 'Basic')
      res.setHeader('X-Seen', Object.keys(req.headers).sort().join(' '))
      res.end('ok')
    })
    const sent = {
      Connection: 'keep-alive, X-Secret',
      'X-Secret': '1',
      TE: 'trailers',
      'Proxy-Authorization': 'x',
      Upgrade: 'h2c',
    }
    const { fields } = await send(target, '/', { headers: sent })
    expect(fields['x-seen']).toBe('connection host x-forwarded-for x-forwarded-host x-forwarded-proto')
    expect(Object.keys(fields)).not.toContain('x-hop')
    expect(Object.keys(fields)).not.toContain('proxy-authenticate')
  })

  it('fields that tell of limits are those of the gateway', async () => {
    const target = await before((_req, res) => {
      res.setHeader('X-RateLimit-Limit', '9999999')
      res.setHeader('RateLimit', '"up";r=9')
      res.end()
    })
    const { fields } = await send(target, '/')
    expect(fields['x-ratelimit-limit']).toBe('1000')
    expect(fields.ratelimit).toMatch(/^"1s";r=999;/)
  })

  it('a chunked body stays one body, also of a DELETE: it never becomes a second request', async () => {
    const urls: (string | undefined)[] = []
    const target = await before((req, res) => {
      urls.push(req.url)
      echo(req, res)
    })
    const smuggled = 'GET /smuggled HTTP/1.1\r\nHost: a\r\n\r\n'
    const chunked = `${smuggled.length.toString(16)}\r\n${smuggled}\r\n0\r\n\r\n`
    const head = 'Host: a\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n'
    for (const method of ['DELETE', 'OPTIONS', 'GET', 'POST']) {
      const answer = await sendRaw(target, `${method} /${method} HTTP/1.1\r\n${head}${chunked}`)
      expect(answer).toContain('"body":"GET /smuggled HTTP/1.1')
    }
    expect(urls).toEqual(['/DELETE', '/OPTIONS', '/GET', '/POST'])
  })
})

describe('streams', () => {
  it('an answer comes as it is made', async () => {
    let goOn = () => {}
    const target = await before((_req, res) => {
      res.write('one')
      goOn = () => res.end('two')
    })
    const socket = open(target, 'GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n')
    let text = ''
    socket.on('data', (part) => {
      text += part
    })
    await waitUntil(() => text.includes('one'), { what: 'the first part is there' })
    expect(text).not.toContain('two')
    goOn()
    await once(socket, 'close')
    expect(text).toContain('two')
  })

  it('a body goes out as it comes in', async () => {
    let seen = ''
    const target = await before((req, res) => {
      req.on('data', (part) => {
        seen += part
      })
      req.on('end', () => res.end(seen))
    })
    const client = request({ ...target, method: 'POST', path: '/', agent: false })
    client.write('one')
    await waitUntil(() => seen === 'one', { what: 'the first part has arrived' })
    client.end('two')
    const [response] = (await once(client, 'response')) as [IncomingMessage]
    response.resume()
    await once(response, 'end')
    expect([response.statusCode, seen]).toEqual([200, 'onetwo'])
  })

  it.each([
    ['before the answer', (_res: ServerResponse) => {}],
    ['in the middle of it', (res: ServerResponse) => void res.write('one')],
  ])('a client that leaves %s ends the request upstream', async (_, answer) => {
    let state = 'not asked'
    const target = await before((_req, res) => {
      state = 'asked'
      res.on('close', () => {
        state = 'left'
      })
      answer(res)
    })
    const socket = open(target, 'GET / HTTP/1.1\r\nHost: a\r\n\r\n')
    await waitUntil(() => state === 'asked', { what: 'it is under way' })
    socket.destroy()
    await waitUntil(() => state === 'left', { what: 'the upstream knows' })
  })

  it('an upstream that breaks off in an answer breaks it off for the client', async () => {
    const target = await before((_req, res) => {
      res.write('one')
      setTimeout(() => res.destroy(), 50)
    })
    await expect(send(target, '/')).rejects.toThrow(/aborted|hang up/)
    expect((await send(target, '/health')).status).toBe(200)
  })
})

describe('an upstream that fails', () => {
  it('is gone: 502 as JSON, which says nothing of where it was, and counts', async () => {
    const port = await freePort()
    const target = await gatewayTo(`http://127.0.0.1:${port}`, ['--rate', '5', '--window', '1m'])
    const { status, body, fields } = await send(target, '/', { method: 'POST', body: 'x'.repeat(100_000) })
    expect([status, body]).toEqual([502, '{"error":"the upstream can’t be reached"}'])
    expect(fields['x-ratelimit-remaining']).toBe('4')
    const { body: metrics } = await send(target, '/metrics')
    expect(metrics).toContain('gateway_upstream_errors_total{kind="unreachable"} 1')
  })

  it('says nothing: 504 after --upstream-timeout', async () => {
    const target = await before(() => {}, ['--upstream-timeout', '200ms'])
    const { status, body } = await send(target, '/')
    expect([status, body]).toEqual([504, '{"error":"the upstream does not answer"}'])
    const { body: metrics } = await send(target, '/metrics')
    expect(metrics).toContain('gateway_upstream_errors_total{kind="silent"} 1')
  })

  it('waits for a client that stops in its upload: 408, and no fault of the upstream', async () => {
    const target = await before((req) => void req.resume(), ['--upstream-timeout', '200ms'])
    const answer = await sendRaw(target, 'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\nhalf')
    expect(answer).toMatch(/^HTTP\/1\.1 408 [\s\S]*Connection: close[\s\S]*did not arrive in time/)
    expect((await send(target, '/metrics')).body).not.toContain('gateway_upstream_errors_total{')
  })

  async function answering(bytes: string): Promise<Target> {
    const server = createTcpServer((socket) => {
      socket.on('error', () => {})
      socket.once('data', () => socket.end(Buffer.from(bytes, 'latin1')))
    })
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    onTestFinished(() => void server.close())
    return gatewayTo(`http://127.0.0.1:${(server.address() as { readonly port: number }).port}`, [])
  }

  it.each([
    ['nothing', ''],
    ['what is no HTTP', 'junk\r\n\r\n'],
    ['a status that is none', 'HTTP/1.1 099 Low\r\nContent-Length: 0\r\n\r\n'],
    [
      'a field with a control byte',
      'HTTP/1.1 200 OK\r\nX-A: 1\r\nX-Bad: a\x01b\r\nContent-Length: 0\r\n\r\n',
    ],
    ['another protocol', 'HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n'],
  ])('answers %s: 502', async (_, bytes) => {
    const target = await answering(bytes)
    const { status, body, fields } = await send(target, '/')
    expect([status, body]).toEqual([502, '{"error":"the upstream can’t be reached"}'])
    expect(fields).not.toHaveProperty('x-a')
    expect((await send(target, '/health')).status).toBe(200)
  })

  it('answers words with a control byte: they are left out', async () => {
    const target = await answering('HTTP/1.1 200 a\x01b\r\nContent-Length: 0\r\n\r\n')
    expect(await sendRaw(target, rawGet('/'))).toMatch(/^HTTP\/1\.1 200 OK\r\n/)
  })

  it.each([
    ['less than it said', 'HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nab'],
    ['chunks that are none', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nab\r\nZZ\r\n'],
  ])('answers %s: the client sees that it broke off', async (_, bytes) => {
    const target = await answering(bytes)
    await expect(send(target, '/')).rejects.toThrow(/aborted|hang up/)
    expect((await send(target, '/health')).status).toBe(200)
  })

  it('targets of requests that no upstream understands end no gateway', async () => {
    const target = await before(echo)
    for (const path of [
      '//',
      '//evil.example/a',
      'http://evil.example/a',
      'http://[bad/',
      '/%',
      '/a?b=%zz',
      '*',
      '/\\..\\',
    ]) {
      const method = path === '*' ? 'OPTIONS' : 'GET'
      const answer = await sendRaw(
        target,
        `${method} ${path} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`,
      )
      expect(answer, path).toMatch(/^HTTP\/1\.1 (200|4\d\d) /)
      expect(answer, path).not.toContain('"host":"evil')
    }
    expect((await send(target, '/health')).status).toBe(200)
  })
})
