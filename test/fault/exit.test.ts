import { fork } from 'node:child_process'
import { once } from 'node:events'
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest'
import { bundleChild, type Child } from '../support/child.js'
import { guard, unguard } from '../support/guardian.js'
import { useServer } from '../support/use-redis.js'

const server = useServer()
let child: Child
beforeAll(async () => {
  child = await bundleChild(new URL('./exit.child.ts', import.meta.url))
})
afterAll(() => child?.remove())

it.each([
  ['closed, each three times', 'closed'],
  ['not closed, while the breaker probes and the log has lines to come', 'open'],
  ['not closed, while calls wait for a deadline of a minute', 'waiting'],
])('row 79: a process ends by itself during an outage: %s', async (_, how) => {
  const program = fork(child.program, [String(server().port), how], {
    execArgv: [],
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  })
  const pid = program.pid ?? 0
  guard(pid)
  const exited = once(program, 'exit')
  onTestFinished(async () => {
    server().thaw()
    program.kill('SIGKILL')
    await exited
    unguard(pid)
  })
  await once(program, 'message')
  server().freeze()
  program.send('frozen')
  const timeout = new Promise((resolve) => setTimeout(resolve, 10_000, 'still there').unref())
  expect(await Promise.race([exited, timeout])).toEqual([0, null])
})
