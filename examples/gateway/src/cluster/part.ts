import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'

/** A program of the stand. */
export interface PartPlan {
  readonly name: string
  readonly command: string
  readonly args: readonly string[]
  /** Asked again and again until it is true; one that throws is not ready yet. */
  readonly isReady: () => Promise<boolean>
}

export interface Part {
  readonly name: string
  /** Of its process and group; 0 when it could not be started. */
  readonly pid: number
  /** Rejects when it ends before, or is not ready within ten seconds. */
  readonly ready: Promise<void>
  /** How it ended, in words. */
  readonly ended: Promise<string>
  signal(name: NodeJS.Signals): void
  /** Ends it in good order, or after six seconds by force. */
  stop(): Promise<void>
}

const READY_MS = 10_000
// A gateway gives its requests five.
const STOP_MS = 6000

/** Starts a program in a process group of its own, so that Ctrl-C reaches it only in our order. What it logs is passed on. */
export function startPart({ name, command, args, isReady }: PartPlan): Part {
  const child = spawn(command, args, { detached: true, stdio: ['ignore', 'pipe', 'pipe'] })
  createInterface({ input: child.stderr }).on('line', (line) => console.error(`[${name}] ${line}`))
  // What a gateway tells of itself; not how it welcomes, nor all that Redis says.
  createInterface({ input: child.stdout }).on('line', (line) => {
    if (line.startsWith('[')) console.log(`[${name}] ${line}`)
  })
  const ended = new Promise<string>((resolve) => {
    child.once('error', (error) => resolve(`could not be started: ${error.message}`))
    child.once('close', (code, signal) => resolve(`ended (${signal ?? `exit code ${code}`})`))
  })
  const ready = readiness(name, ended, isReady)
  // Whoever does not wait for it, because all is being stopped, has no use for the error.
  ready.catch(() => {})
  return {
    name,
    pid: child.pid ?? 0,
    ready,
    ended,
    signal: (signal) => void child.kill(signal),
    async stop() {
      child.kill('SIGTERM')
      const force = setTimeout(() => child.kill('SIGKILL'), STOP_MS)
      await ended
      clearTimeout(force)
    },
  }
}

async function readiness(name: string, ended: Promise<string>, isReady: PartPlan['isReady']): Promise<void> {
  const deadline = performance.now() + READY_MS
  let end: string | undefined
  void ended.then((how) => {
    end = how
  })
  while (end === undefined && performance.now() < deadline) {
    if (await isReady().catch(() => false)) return
    await sleep(25)
  }
  throw new Error(`${name} ${end ?? `was not ready within ${READY_MS / 1000} s`}`)
}
