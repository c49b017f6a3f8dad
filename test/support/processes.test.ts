import { expect, it } from 'vitest'
import { type ProcessesOptions, runTogether, startProcesses } from './processes.js'
import { waitUntil } from './wait-until.js'

const program = new URL('./barrier-probe.mjs', import.meta.url)

interface Probe {
  readonly input: unknown
  readonly pid: number
  readonly preparedAt: number
  readonly startedAt: number
  readonly big: bigint
}

it('starts all when the last is ready, and gives the results in order', async () => {
  const input = (index: number): unknown => ({ index })
  const probes = await runTogether<Probe>({ program, count: 4, input })
  expect(probes.map((probe) => probe.input)).toEqual([0, 1, 2, 3].map(input))
  expect(new Set(probes.map(({ pid }) => pid)).size).toBe(4)
  const lastReady = Math.max(...probes.map(({ preparedAt }) => preparedAt))
  expect(Math.min(...probes.map(({ startedAt }) => startedAt))).toBeGreaterThanOrEqual(lastReady)
  expect(probes[0]?.big).toBe(2n ** 64n)
  expect(probes.filter(({ pid }) => isAlive(pid))).toEqual([])
})

it.each([
  [
    'prepare',
    /Process 1 of .*barrier-probe\.mjs ended \(exit code 1\) before it sent "ready"[\s\S]*could not prepare/,
  ],
  [
    'work',
    /Process 1 of .*barrier-probe\.mjs ended \(exit code 1\) before it sent "result"[\s\S]*could not work/,
  ],
  ['exit', /Process 1 of .*barrier-probe\.mjs ended \(exit code 3\) before it sent "result"/],
  ['hang', /Process 1 of .*barrier-probe\.mjs took more than 500 ms before it sent "result"/],
])('tells which process failed (%s), and what it wrote', async (failure, message) => {
  const options: ProcessesOptions = {
    program,
    count: 2,
    input: (index) => (index === 1 ? { failure } : null),
    ...(failure === 'hang' && { timeoutMs: 500 }),
  }
  await expect(runTogether(options)).rejects.toThrow(message)
})

it('kills one process at its work, and the others at the end', async () => {
  const processes = await startProcesses({ program, count: 3, input: () => ({ failure: 'hang' }) })
  processes.release()
  expect(processes.pids.map(isAlive)).toEqual([true, true, true])
  await processes.kill(1)
  expect(processes.pids.map(isAlive)).toEqual([true, false, true])
  await processes.stop()
  expect(processes.pids.map(isAlive)).toEqual([false, false, false])
})

it('reports a process that was killed', async () => {
  const processes = await startProcesses({ program, count: 2 })
  await processes.kill(0)
  await expect(processes.go()).rejects.toThrow(/Process 0 of .* ended \(SIGKILL\)/)
  await waitUntil(() => !processes.pids.some(isAlive), { what: 'the other is dead too' })
})

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}
