import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { guard, unguard } from './guardian.js'

/** A program in a process of its own. */
export interface Program {
  readonly pid: number
  readonly process: ChildProcess
  /** What it printed up to now, on both streams. */
  readonly output: () => string
  /** Its exit code; null when a signal ended it. */
  readonly ended: Promise<number | null>
  kill(signal?: NodeJS.Signals): void
}

/** Starts a file of JavaScript. It dies with this process. */
export function startProgram(file: string, flags: readonly string[]): Program {
  const child = spawn(process.execPath, [file, ...flags], { stdio: ['ignore', 'pipe', 'pipe'] })
  let text = ''
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (part: string) => {
      text += part
    })
  const pid = child.pid ?? 0
  guard(pid)
  const ended = once(child, 'close').then(([code]): number | null => {
    unguard(pid)
    return code
  })
  return {
    pid,
    process: child,
    output: () => text,
    ended,
    kill: (signal = 'SIGTERM') => void child.kill(signal),
  }
}
