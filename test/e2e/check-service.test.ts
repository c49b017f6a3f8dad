import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ensureBuilt } from '../scripts/setup.mjs'
import { inRoot } from '../scripts/workspace.mjs'
import { type Cluster, check, runProgram, startCluster, startNode } from './check-service.js'

let cluster: Cluster
beforeAll(async () => {
  ensureBuilt()
  cluster = await startCluster()
}, 180_000)
afterAll(() => cluster.stop())

/** Nothing comes back while a test runs. */
const ALGORITHMS = [
  ['token_bucket', '0.001'],
  ['sliding_window', '3600'],
  ['sliding_window_counter', '3600'],
  ['fixed_window', '2592000'],
] as const

describe('250 requests at once on a limit of 100, through nginx over three nodes', () => {
  it.each(ALGORITHMS)('%s: exactly 100 pass, each with a remainder of its own', async (algorithm, span) => {
    const parameters = { client_id: 'crowd', algorithm, limit: '100', rate_or_window: span }
    const answers = await Promise.all(Array.from({ length: 250 }, () => check(cluster.url, parameters)))
    const allowed = answers.filter(({ status }) => status === 200)
    const refused = answers.filter(({ status }) => status === 429)
    expect([allowed.length, refused.length]).toEqual([100, 150])
    const remaining = allowed.map(({ headers }) => Number(headers.get('X-RateLimit-Remaining')))
    expect(remaining.sort((a, b) => a - b)).toEqual(Array.from({ length: 100 }, (_, index) => index))
    expect(new Set(answers.map(({ headers }) => headers.get('X-RateLimit-Source')))).toEqual(
      new Set(['store']),
    )
  })

  it('the nodes take turns', async () => {
    const turns = new Map<string | null, number>()
    await Promise.all(
      Array.from({ length: 300 }, async () => {
        const { headers } = await check(cluster.url, { client_id: 'turns' })
        const node = headers.get('X-Served-By')
        turns.set(node, (turns.get(node) ?? 0) + 1)
      }),
    )
    const expected = cluster.nodes.map(({ port }) => [`127.0.0.1:${port}`, 100])
    expect(Object.fromEntries(turns)).toEqual(Object.fromEntries(expected))
  })
})

describe('the README', () => {
  const text = readFileSync(inRoot('examples/check-service/README.md'), 'utf8')
  const blocks = [...text.matchAll(/^```console\n([\s\S]*?)^```$/gm)].map(([, block]) => block ?? '')
  const samples = blocks.flatMap((block) => block.split(/^\$ /m).slice(1))

  it('has commands to try', () => expect(samples.length).toBeGreaterThanOrEqual(5))

  it('every curl command gives, as printed, what is printed', async () => {
    for (const sample of samples.filter((each) => each.startsWith('curl'))) {
      const [command = '', ...printed] = sample.split('\n')
      const here = command.replaceAll('http://localhost:8000', cluster.url)
      const { stdout } = await promisify(execFile)('sh', ['-c', here])
      expect(lasting(stdout), command).toEqual(lasting(printed.join('\n')))
    }
  })
})

describe('npm run bench', () => {
  it('prints rate, times and answers, and finds the limit exact', async () => {
    const load = ['--requests', '600', '--concurrency', '20', '--limit', '50', '--rate-or-window', '0.001']
    const { code, output } = await runProgram('bench', ['--url', cluster.url, ...load])
    expect(output).toMatch(
      /^600 requests of one client.*\nrate +\d+ requests\/s\nmean +[\d.]+ ms\np50.*\np90.*\np99.*\nmax.*\n/,
    )
    expect(output).toMatch(/^200 +50 answers\n429 +550 answers\n/m)
    expect(output).toContain('250 at once on a limit of 100: 100 allowed, 150 refused: exact')
    expect(code).toBe(0)
  })

  it('says so where the limit is not exact', async () => {
    const constant = await startNode(['--constant'])
    const { code, output } = await runProgram('bench', ['--url', constant.url, '--requests', '10'])
    constant.kill()
    expect(output).toContain('250 allowed, 0 refused: WRONG: it must be 100 and 150')
    expect(code).toBe(1)
  })
})

/** What does not change from run to run: no times, and not which node it was. */
function lasting(output: string): readonly string[] {
  return output
    .replaceAll('\r', '')
    .trim()
    .split('\n')
    .map((line) =>
      line
        .trim()
        .replace(/^(Date|X-Served-By|Server|Retry-After): .*/i, '$1: …')
        .replace(/^(Content-Length): .*/i, '$1: …')
        .replace(/_after_ms":\d+/g, '_after_ms":…'),
    )
}
