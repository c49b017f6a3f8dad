import { type ChildProcess, spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'

export interface ChildOptions {
  /** What messages call it. */
  readonly name: string
  readonly command: string
  readonly args: readonly string[]
  /** Asked again and again until it is true; one that throws is not ready yet. */
  readonly isReady: () => Promise<boolean>
  /** The signal that ends it in good order. @default 'SIGTERM' */
  readonly stopSignal?: NodeJS.Signals
}

/** A program that was started, with the processes that it starts itself. */
export interface Child {
  readonly name: string
  /** Of the process and of its group; 0 when it could not be started. */
  readonly pid: number
  /** Rejects, with the end of what the program said, when it ends before it is ready or takes longer than ten seconds. */
  readonly ready: Promise<void>
  /** How it ended, in words, whoever ended it. */
  readonly ended: Promise<string>
  /** Ends it in good order, or after three seconds by force. May be called twice. */
  stop(): Promise<void>
}

const READY_MS = 10_000
const STOP_MS = 3000
const TAIL_LINES = 20

/** Starts a program in a process group of its own: a Ctrl-C reaches it only through `stop`, in our order. */
export function startChild(options: ChildOptions): Child {
  const { name, command, args, isReady, stopSignal = 'SIGTERM' } = options
  const process = spawn(command, args, { detached: true, stdio: ['ignore', 'ignore', 'pipe'] })
  const said = listen(process, name)
  const ended = endOf(process)
  const ready = readiness(name, { ended, said, isReady })
  // Whoever does not wait for it, because all is being stopped, has no use for the error.
  ready.catch(() => {})
  return { name, pid: process.pid ?? 0, ready, ended, stop: () => stop(process, ended, stopSignal) }
}

/** Passes on what it says on stderr, and keeps the last lines. */
function listen({ stderr }: ChildProcess, name: string): readonly string[] {
  const tail: string[] = []
  if (stderr === null) return tail
  createInterface({ input: stderr }).on('line', (line) => {
    tail.push(line)
    if (tail.length > TAIL_LINES) tail.shift()
    console.error(`[${name}] ${line}`)
  })
  return tail
}

function endOf(process: ChildProcess): Promise<string> {
  return new Promise((resolve) => {
    process.once('error', (error) => resolve(`could not be started: ${error.message}`))
    // 'close' comes when all that it said has been read.
    process.once('close', (code, signal) => resolve(`ended (${signal ?? `exit code ${code}`})`))
  })
}

interface Start extends Pick<Child, 'ended'>, Pick<ChildOptions, 'isReady'> {
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

async function stop(process: ChildProcess, ended: Promise<string>, signal: NodeJS.Signals): Promise<void> {
  process.kill(signal)
  const abort = new AbortController()
  const timeUp = sleep(STOP_MS, 'late', { signal: abort.signal }).catch(() => 'ended')
  if ((await Promise.race([ended, timeUp])) === 'late') killGroup(process.pid)
  abort.abort()
  await ended
}

function killGroup(pid: number | undefined): void {
  try {
    if (pid !== undefined) globalThis.process.kill(-pid, 'SIGKILL')
  } catch {
    // It has ended by itself in this very moment.
  }
}
