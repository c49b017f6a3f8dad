import { spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The shell program that outlives this process by a moment and cleans up after it. */
export const guardianScript: string = fileURLToPath(new URL('./guardian.sh', import.meta.url))

interface Guardian {
  readonly root: string
  readonly pids: Set<number>
  send(verb: 'add' | 'drop', pid: number): void
}

let guardian: Guardian | undefined
let dirsMade = 0

/** Makes an empty directory that is removed when this process ends, in whatever way. */
export function scratchDir(label: string): string {
  guardian ??= startGuardian()
  const dir = join(guardian.root, `${label}-${++dirsMade}`)
  mkdirSync(dir)
  return dir
}

/** From now on the process `pid` is killed when this one ends, in whatever way (SIGKILL included). */
export function guard(pid: number): void {
  guardian ??= startGuardian()
  guardian.pids.add(pid)
  guardian.send('add', pid)
}

/** Takes back {@link guard}, for a process that has ended: its number may soon be another's. */
export function unguard(pid: number): void {
  if (guardian?.pids.delete(pid)) guardian.send('drop', pid)
}

function startGuardian(): Guardian {
  const root = mkdtempSync(join(tmpdir(), 'rl-test-'))
  const shell = spawn('sh', [guardianScript, root], { stdio: ['pipe', 'ignore', 'ignore'] })
  const { stdin } = shell
  // Neither the shell nor its pipe may keep this process alive.
  shell.unref()
  if (stdin instanceof Socket) stdin.unref()
  const pids = new Set<number>()
  // An orderly exit leaves nothing for the shell, not even for a moment. A worker of the test runner may go
  // on after the runner has died, but its servers shall not.
  process.once('exit', () => endAll(pids, root))
  process.once('disconnect', () => endAll(pids, root))
  return { root, pids, send: (verb, pid) => void stdin.write(`${verb} ${pid}\n`) }
}

function endAll(pids: ReadonlySet<number>, root: string): void {
  for (const pid of pids) {
    try {
      process.kill(pid, 'SIGKILL')
    } catch {
      // Ended by itself, and its exit event had no more turn of the loop to be seen.
    }
  }
  rmSync(root, { recursive: true, force: true })
}
