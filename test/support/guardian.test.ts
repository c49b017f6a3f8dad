import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { guardianScript, scratchDir } from './guardian.js'

it('kills what was added and not dropped, and removes the directory, when its writer is gone', async () => {
  const dir = mkdtempSync(join(scratchDir('guardian'), 'root-'))
  const [first, dropped, last] = [startSleeper(), startSleeper(), startSleeper()]
  const shell = spawn('sh', [guardianScript, dir], { stdio: ['pipe', 'pipe', 'inherit'] })
  expect(String(await once(shell.stdout, 'data'))).toBe('ready\n')
  for (const { pid } of [first, dropped, last]) shell.stdin.write(`add ${pid}\n`)
  shell.stdin.write(`drop ${dropped.pid}\n`)
  expect(existsSync(dir)).toBe(true)
  const exits = [once(first, 'exit'), once(last, 'exit'), once(shell, 'exit')]
  // A Ctrl-C in the terminal reaches the shell as well, and must not end it early.
  shell.kill('SIGINT')
  shell.stdin.end()
  await Promise.all(exits)
  expect([first.signalCode, last.signalCode]).toEqual(['SIGKILL', 'SIGKILL'])
  expect(dropped.signalCode).toBeNull()
  expect(existsSync(dir)).toBe(false)
  dropped.kill('SIGKILL')
})

function startSleeper(): ReturnType<typeof spawn> {
  return spawn(process.execPath, ['-e', 'setTimeout(() => undefined, 60_000)'], { stdio: 'ignore' })
}
