import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const VITEST = fileURLToPath(new URL('../../node_modules/vitest/vitest.mjs', import.meta.url))

/** The laws and written-out cases, and the comparison with the oracle. */
const TESTS = ['packages/core/src/algorithms/', 'test/equivalence/memory']

/** Threads of one process, so that all of them stop with it. */
const RUN = 'run --config test/vitest.config.ts --project normal --pool threads --no-isolate'

/** Fewer cases than in the normal tests, and the same ones for each fault. */
const FEW = { RL_STEPS: '2000', RL_RUNS: '40', RL_SEED: '1' }

/** A run takes a few seconds; one that takes so long has met an endless loop. */
const LONGEST_MS = 180_000

export interface TestRun {
  readonly passed: number
  /** Titles of the tests that failed, by file. */
  readonly failed: ReadonlyMap<string, readonly string[]>
  /** Files that could not be loaded: a fault must be one that runs. */
  readonly unloaded: readonly string[]
  /** No end in sight: the run was stopped. */
  readonly isEndless: boolean
}

interface Report {
  readonly testResults: readonly {
    readonly name: string
    readonly status: string
    readonly assertionResults: readonly { readonly status: string; readonly fullName: string }[]
  }[]
}

/** Runs the fast part of the tests in a copy of the tree. */
export async function runTests(folder: string): Promise<TestRun> {
  const report = join(folder, 'report.json')
  rmSync(report, { force: true })
  const args = [VITEST, ...RUN.split(' '), '--reporter', 'json', '--outputFile', report, ...TESTS]
  const env = { ...process.env, ...FEW }
  const limits = { timeout: LONGEST_MS, killSignal: 'SIGKILL' } as const
  const child = spawn(process.execPath, args, { cwd: folder, env, stdio: 'ignore', ...limits })
  const [code] = await once(child, 'exit')
  if (code === null) return { passed: 0, failed: new Map(), unloaded: [], isEndless: true }
  return { ...counted(JSON.parse(readFileSync(report, 'utf8'))), isEndless: false }
}

function counted({ testResults }: Report): Omit<TestRun, 'isEndless'> {
  const failed = new Map<string, readonly string[]>()
  const unloaded: string[] = []
  let passed = 0
  for (const { name, status, assertionResults } of testResults) {
    const titles = assertionResults.filter((test) => test.status === 'failed').map((test) => test.fullName)
    passed += assertionResults.filter((test) => test.status === 'passed').length
    if (titles.length > 0) failed.set(name.split('/').at(-1) ?? name, titles)
    else if (status === 'failed') unloaded.push(name)
  }
  return { passed, failed, unloaded }
}
