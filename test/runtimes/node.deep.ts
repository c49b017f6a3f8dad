import { execFile } from 'node:child_process'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, it, onTestFinished } from 'vitest'
import { inRoot, readJson } from '../scripts/workspace.mjs'

const run = promisify(execFile)

/** Unit tests, and the contracts of stores and adapters without Redis. */
async function suites(): Promise<readonly string[]> {
  const contracts = (await readdir(inRoot('test/contract'))).filter((name) => name.endsWith('.test.ts'))
  const overMemory = contracts
    .filter((name) => !name.includes('redis'))
    .map((name) => `test/contract/${name}`)
  return ['packages/', 'test/express/', 'test/koa/', 'test/hono/', 'test/fastify/', ...overMemory]
}

interface TestFile {
  readonly name: string
  readonly status: string
  readonly message: string
  readonly assertionResults: readonly {
    readonly status: string
    readonly fullName: string
    readonly failureMessages: readonly string[]
  }[]
}

/** The counts of a run of vitest in that Node, and what failed. */
async function tested(node: string) {
  const folder = await mkdtemp(join(tmpdir(), 'rl-node-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const report = join(folder, 'report.json')
  const args = [
    ...[inRoot('node_modules/vitest/vitest.mjs'), 'run', '--config', inRoot('test/vitest.config.ts')],
    ...['--project', 'normal', '--reporter', 'json', '--outputFile', report, ...(await suites())],
  ]
  // A run in which something fails ends with 1, and has its report all the same.
  await run(node, args, { cwd: inRoot(), maxBuffer: 2 ** 28 }).catch(() => {})
  const { numPassedTests, numPendingTests, testResults } = readJson(report)
  const failed = (testResults as readonly TestFile[])
    .filter(({ status }) => status !== 'passed')
    .flatMap(({ name, message, assertionResults }) => [
      `${name} ${message}`,
      ...assertionResults
        .filter(({ status }) => status === 'failed')
        .map(({ fullName, failureMessages }) => `${fullName}: ${failureMessages[0]}`),
    ])
  return { passed: numPassedTests as number, skipped: numPendingTests as number, failed }
}

describe.each(['22', '24', '26'])('Node %s', (major) => {
  const node = inRoot(`test/runtimes/node_modules/node${major}/bin/node`)

  it('is that', async () => {
    expect((await run(node, ['--version'])).stdout).toMatch(new RegExp(`^v${major}\\.`))
  })

  it('passes the unit tests, and the contracts over memory', async () => {
    const { passed, skipped, failed } = await tested(node)
    expect(failed).toEqual([])
    expect(skipped).toBe(0)
    expect(passed).toBeGreaterThan(2000)
  })
})
