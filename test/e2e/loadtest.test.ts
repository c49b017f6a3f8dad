import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { listen } from '../contract/listen.js'
import { ensureBuilt } from '../scripts/setup.mjs'
import { inRoot } from '../scripts/workspace.mjs'
import { freePort } from '../support/free-port.js'

beforeAll(() => ensureBuilt(), 120_000)

interface Summary {
  readonly sent: number
  readonly rate: number
  readonly success: number
  readonly statuses: Readonly<Record<string, number>>
  readonly errors: Readonly<Record<string, number>>
  readonly latencyMs: { readonly p50: number; readonly p99: number; readonly max: number }
  readonly histogram: readonly { readonly upToMs: number | null; readonly count: number }[]
}

async function loadtest(...args: readonly string[]): Promise<{ code: number; out: string; err: string }> {
  const child = spawn(process.execPath, [inRoot('examples/gateway/dist/loadtest.js'), ...args])
  onTestFinished(() => void child.kill('SIGKILL'))
  let [out, err] = ['', '']
  child.stdout.on('data', (part) => {
    out += part
  })
  child.stderr.on('data', (part) => {
    err += part
  })
  const [code] = await once(child, 'close')
  return { code, out, err }
}

async function serve(handler: RequestListener): Promise<string> {
  const { target, close } = await listen(createServer(handler))
  onTestFinished(close)
  return `http://127.0.0.1:${(target as { readonly port: number }).port}/`
}

describe('loadtest', () => {
  it('sends at the rate, with the key, and tells statuses, success and latencies', async () => {
    const keys = new Set<unknown>()
    let asked = 0
    const url = await serve((req, res) => {
      keys.add(req.headers['x-api-key'])
      res.statusCode = asked++ % 4 === 0 ? 429 : 200
      res.end()
    })
    const { code, out, err } = await loadtest(
      '--url',
      url,
      '--rps',
      '200',
      '--dur',
      '1s',
      '--api-key',
      'key-1',
      '--json',
    )
    const summary: Summary = JSON.parse(out)
    expect([code, err, [...keys], asked]).toEqual([0, '', ['key-1'], 200])
    expect(summary).toMatchObject({ sent: 200, success: 0.75, statuses: { 200: 150, 429: 50 }, errors: {} })
    expect(summary.rate).toBeGreaterThan(100)
    expect(summary.histogram.reduce((sum, { count }) => sum + count, 0)).toBe(200)
    expect(summary.latencyMs.p50).toBeLessThanOrEqual(summary.latencyMs.p99)
  })

  it('a stall shows in all that should have been sent meanwhile, not in one request alone', async () => {
    let held: (() => void)[] | undefined
    const url = await serve((_req, res) => {
      if (held === undefined) res.end()
      else held.push(() => res.end())
    })
    const run = loadtest('--url', url, '--rps', '100', '--dur', '2s', '--json')
    setTimeout(() => {
      held = []
      setTimeout(() => {
        for (const answer of held ?? []) answer()
        held = undefined
      }, 1000)
    }, 800)
    const { latencyMs, histogram, sent }: Summary = JSON.parse((await run).out)
    const slow = histogram.reduce(
      (sum, { upToMs, count }) => (upToMs === null || upToMs > 100 ? sum + count : sum),
      0,
    )
    expect(sent).toBe(200)
    expect(latencyMs.max).toBeGreaterThan(700)
    expect(slow).toBeGreaterThan(50)
  })

  it('prints a table and bars for people', async () => {
    const url = await serve((_req, res) => void res.end())
    const { out } = await loadtest('--url', url, '--rps', '50', '--dur', '500ms')
    expect(out).toMatch(
      /^25 requests to http:\/\/127\.0\.0\.1:\d+\/, [\d.]+ a second\n\nsuccess {3}100\.0 %\nstatuses {2}200: 25\n/,
    )
    expect(out).toMatch(/latency {3}p50 [\d.]+ ms, p99 [\d.]+ ms, max [\d.]+ ms, from the intended start/)
    expect(out).toMatch(/≤ \d+(\.5)? ms +\d+ █+/)
  })

  it('nobody there: errors by their code, and exit code 1', async () => {
    const { code, out } = await loadtest(
      '--url',
      `http://127.0.0.1:${await freePort()}/`,
      '--rps',
      '10',
      '--dur',
      '500ms',
      '--json',
    )
    expect([code, JSON.parse(out).errors, JSON.parse(out).latencyMs]).toEqual([1, { ECONNREFUSED: 5 }, null])
  })

  it('nobody there: no latency is printed', async () => {
    const url = `http://127.0.0.1:${await freePort()}/`
    const { out } = await loadtest('--url', url, '--rps', '10', '--dur', '200ms')
    expect(out).toContain('statuses  none\nerrors    ECONNREFUSED: 2')
    expect(out).not.toMatch(/latency|≤/)
  })

  it('--help: how it is used, and exit code 0', async () => {
    const { code, out } = await loadtest('--help')
    expect([code, out.slice(0, 23)]).toEqual([0, 'usage: npm run loadtest'])
  })

  it.each([
    [['--rps', '0'], '--rps takes a whole number from 1 to 100000; got "0"'],
    [['--dur', 'long'], '--dur takes a time such as 10s; got "long"'],
    [['--url', 'nowhere'], '--url takes an http:// or https:// URL; got "nowhere"'],
    [['--api-key', 'a b'], '--api-key takes visible ASCII'],
    [['--rats', '1'], "Unknown option '--rats'"],
  ])('%j is answered with what is wrong and exit code 2', async (flags, message) => {
    const { code, err } = await loadtest(...flags)
    expect([code, err.split('\n')[0]]).toEqual([2, expect.stringContaining(message)])
  })
})
