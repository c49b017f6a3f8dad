import { type ChildProcessByStdio, spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'

/** How a program is started. */
export interface PartPlan {
  /** What messages call it. */
  readonly name: string
  readonly command: string
  readonly args: readonly string[]
  /** Asked again and again until it is true; one that throws is not ready yet. */
  readonly isReady: () => Promise<boolean>
  /** Whether a line that it prints on stdout is passed on; what it says on stderr always is. @default none */
  readonly passesOn?: (line: string) => boolean
  /** The signal that ends it in good order. @default 'SIGTERM' */
  readonly stopSignal?: NodeJS.Signals
  /** How long it may take to end, in milliseconds, before it is ended by force. @default 3000 */
  readonly stopMs?: number
}

/** A program that was started, with the processes that it starts itself. */
export interface Part {
  readonly name: string
  /** Of the process and of its group; 0 when it could not be started. */
  readonly pid: number
  /** Rejects, with the end of what the program said, when it ends before it is ready or takes longer than ten seconds. */
  readonly ready: Promise<void>
  /** How it ended, in words, whoever ended it. */
  readonly ended: Promise<string>
  signal(name: NodeJS.Signals): void
  /** Ends it in good order, or after the plan's time by force. May be called twice. */
  stop(): Promise<void>
}

const READY_MS = 10_000
const STOP_MS = 3000
const TAIL_LINES = 20

/** Starts a program in a process group of its own: a Ctrl-C reaches it only through `stop`, in our order. */
export function startPart(plan: PartPlan): Part {
  const { name, command, args, isReady } = plan
  const child = spawn(command, args, { detached: true, stdio: ['ignore', 'pipe', 'pipe'] })
  const said = listen(child, plan)
  const ended = endOf(child)
  const ready = readiness(name, { ended, said, isReady })
  // Whoever does not wait for it, because all is being stopped, has no use for the error.
  ready.catch(() => {})
  return {
    name,
    pid: child.pid ?? 0,
    ready,
    ended,
    signal: (signal) => void child.kill(signal),
    stop: () => stop(child, ended, plan),
  }
}

type Spawned = ChildProcessByStdio<null, Readable, Readable>

/** Passes on what it says, and keeps the last lines. */
function listen({ stdout, stderr }: Spawned, { name, passesOn }: PartPlan): readonly string[] {
  const tail: string[] = []
  const keep = (line: string) => {
    tail.push(line)
    if (tail.length > TAIL_LINES) tail.shift()
  }
  createInterface({ input: stderr }).on('line', (line) => {
    keep(line)
    console.error(`[${name}] ${line}`)
  })
  createInterface({ input: stdout }).on('line', (line) => {
    keep(line)
    if (passesOn?.(line)) console.log(`[${name}] ${line}`)
  })
  return tail
}

function endOf(child: Spawned): Promise<string> {
  return new Promise((resolve) => {
    child.once('error', (error) => resolve(`could not be started: ${error.message}`))
    // 'close' comes when all that it said has been read.
    child.once('close', (code, signal) => resolve(`ended (${signal ?? `exit code ${code}`})`))
  })
}

interface Start extends Pick<Part, 'ended'>, Pick<PartPlan, 'isReady'> {
  readonly said: readonly string[]
}

async function readiness(name: string, { ended, said, isReady }: Start): Promise<void> {
  const deadline = performance.now() + READY_MS
  let end: string | undefined
  void ended.then((how) => {
    end = how
  })
  while (performance.now() < deadline && end === undefined) {
    if (await isReady().catch(() => false)) return
    await sleep(25)
  }
  const how = end ?? `was not ready within ${READY_MS / 1000} s`
  throw new Error([`${name} ${how}`, ...said].join('\n  '))
}

async function stop(child: Spawned, ended: Promise<string>, plan: PartPlan): Promise<void> {
  child.kill(plan.stopSignal ?? 'SIGTERM')
  const force = setTimeout(() => killGroup(child.pid), plan.stopMs ?? STOP_MS)
  await ended
  clearTimeout(force)
}

function killGroup(pid: number | undefined): void {
  try {
    if (pid !== undefined) process.kill(-pid, 'SIGKILL')
  } catch {
    // It has ended by itself in this very moment.
  }
}
