import { once } from 'node:events'
import { beforeAll, describe, expect, it } from 'vitest'
import { ensureBuilt } from '../scripts/setup.mjs'
import { inRoot } from '../scripts/workspace.mjs'
import { type Answer, open, send } from '../support/http-client.js'
import { runGateway, startGateway } from './gateway.js'

beforeAll(() => ensureBuilt(), 120_000)

const MINUTE = ['--rate', '5', '--window', '1m']

describe('what the gateway promises when it starts', () => {
  it('says where it is, what it allows, and what to try', async () => {
    const { output, target } = await startGateway()
    const at = `http://127.0.0.1:${target.port}`
    expect(
      output(),
    ).toBe(`gateway: ${at} allows each client address 5 requests in 1s, counted in this process. Try:

  curl -i ${at}/api/ping
  curl -si -w '\\n' '${at}/api/ping?[1-6]' | grep -iE '^(HTTP|RateLimit:|Retry-After)'
  curl -i -d hello ${at}/api/echo
  curl -i ${at}/health

or open ${at} in a browser. Ctrl-C stops it.
`)
  })

  it('curl -i /api/ping: 200 with RateLimit fields, in the new form and the old', async () => {
    const { target } = await startGateway(MINUTE)
    const { status, body, fields } = await send(target, '/api/ping')
    expect([status, body]).toEqual([200, '{"pong":true}'])
    expect(fields).toMatchObject({
      'ratelimit-policy': '"1m";q=5;w=60',
      ratelimit: expect.stringMatching(/^"1m";r=4;t=\d+$/),
      'x-ratelimit-limit': '5',
      'x-ratelimit-remaining': '4',
      'x-ratelimit-reset': expect.stringMatching(/^\d{10}$/),
    })
  })

  it('curl /api/ping?[1-6]: five times 200, then 429 with Retry-After', async () => {
    const { target } = await startGateway(MINUTE)
    const answers: Answer[] = []
    for (const n of [1, 2, 3, 4, 5, 6]) answers.push(await send(target, `/api/ping?${n}`))
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200, 429])
    expect(answers.map(({ fields }) => 'retry-after' in fields)).toEqual([
      false,
      false,
      false,
      false,
      false,
      true,
    ])
    const { ratelimit, 'retry-after': wait } = answers[5]!.fields
    expect(ratelimit).toBe(`"1m";r=0;t=${wait}`)
    expect(Number(wait)).toBeGreaterThanOrEqual(1)
    expect(Number(wait)).toBeLessThanOrEqual(72)
  })

  it('curl -d hello /api/echo: the same back, and it counts', async () => {
    const { target } = await startGateway(MINUTE)
    const { status, body, fields } = await send(target, '/api/echo', { method: 'POST', body: 'hello' })
    expect([status, body]).toEqual([200, 'hello'])
    expect(fields['x-ratelimit-remaining']).toBe('4')
  })

  it('curl /health: never limited, and without fields', async () => {
    const { target } = await startGateway(['--rate', '1', '--window', '1m'])
    const answers = []
    for (const _call of [1, 2, 3]) answers.push(await send(target, '/health'))
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200])
    expect(answers[2]?.fields).not.toHaveProperty('ratelimit')
    expect((await send(target, '/api/ping')).status).toBe(200)
  })

  it('the page is whole: nothing on it comes from elsewhere', async () => {
    const { target } = await startGateway()
    const [page, script] = [await send(target, '/'), await send(target, '/page-script.js')]
    expect([page.status, page.fields['content-type']]).toEqual([200, 'text/html; charset=utf-8'])
    expect(page.body).toContain('<script type="module" src="/page-script.js">')
    expect(page.body).not.toMatch(/https?:\/\//)
    expect([script.status, script.fields['content-type']]).toEqual([200, 'text/javascript; charset=utf-8'])
  })
})

describe('flags', () => {
  it('--burst is the limit of the window', async () => {
    const { target } = await startGateway(['--rate', '2', '--burst', '3', '--window', '1h'])
    expect((await send(target, '/api/ping')).fields['ratelimit-policy']).toBe('"1h";q=3;w=3600')
  })

  it.each([
    [['--rate', 'abc'], '--rate takes a whole number from 1 to 999999999999999; got "abc"'],
    [['--rate', '0'], '--rate takes a whole number from 1 to 999999999999999; got "0"'],
    [['--burst', '1.5'], '--burst takes a whole number from 1 to 999999999999999; got "1.5"'],
    [['--window', '1 fortnight'], '--window "1 fortnight": slidingWindow: window: has no unit'],
    [['--window', ''], '--window "":'],
    [['--window', '1', '--burst', '7'], '--window "1" with --burst 7:'],
    [['--rate', '1000000000000000'], '--rate takes a whole number from 1 to 999999999999999'],
    [
      ['--redis-addr', 'nope'],
      '--redis-addr takes a port, :port or host:port, such as 127.0.0.1:6379; got "nope"',
    ],
    [
      ['--trusted-proxies', 'a b'],
      '--trusted-proxies takes addresses, CIDR ranges, loopback or private, comma-separated',
    ],
    [['--rate', '999999999999999'], 'the largest exact limit for 1s is'],
    [['--addr', 'nowhere'], '--addr takes a port, :port or host:port, such as 127.0.0.1:9090; got "nowhere"'],
    [['--addr', ':70000'], '--addr takes a port, :port or host:port'],
    [['--rats', '5'], "Unknown option '--rats'"],
    [['5'], "Unexpected argument '5'"],
    [['--rate'], "'--rate <value>' argument missing"],
  ])('%j is answered with what is wrong, how it is used, and exit code 2', async (flags, message) => {
    const { code, output } = await runGateway(flags)
    expect(code).toBe(2)
    expect(output).toContain(message)
    expect(output).toContain('usage: npm start -- [--addr :9090]')
  })

  it('--help: how it is used, and exit code 0', async () => {
    const { code, output } = await runGateway(['--help'])
    expect([code, output.slice(0, 26)]).toEqual([0, 'usage: npm start -- [--add'])
  })

  it('a port that is taken is said plainly, with exit code 1', async () => {
    const { target } = await startGateway()
    const { code, output } = await runGateway(['--addr', `127.0.0.1:${target.port}`])
    expect(code).toBe(1)
    expect(output).toContain('Something listens there already: give another --addr')
    expect(output.trim().split('\n')).toHaveLength(1)
  })
})

describe('the end', () => {
  it.each(['SIGINT', 'SIGTERM'] as const)('%s ends it with code 0', async (signal) => {
    const gateway = await startGateway()
    gateway.process.kill(signal)
    expect(await gateway.ended).toBe(0)
  })

  it('a request under way is answered first, also when the signal comes twice', async () => {
    const gateway = await startGateway()
    const head = 'POST /api/echo HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nExpect: 100-continue\r\n\r\n'
    const socket = open(gateway.target, head)
    expect((await once(socket, 'data'))[0]).toBe('HTTP/1.1 100 Continue\r\n\r\n')
    for (const _time of [1, 2]) gateway.process.kill('SIGTERM')
    await gateway.isClosed()
    socket.write('hello')
    expect((await once(socket, 'data'))[0]).toMatch(/^HTTP\/1\.1 200 OK\r\n[\s\S]*hello$/)
    expect(await gateway.ended).toBe(0)
  })

  it('npm start passes the signal on', async () => {
    const gateway = await startGateway([], inRoot('test/scripts/start.mjs'))
    gateway.process.kill('SIGINT')
    expect(await gateway.ended).toBe(0)
    await gateway.isClosed()
  })
})
