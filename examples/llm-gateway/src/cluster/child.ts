import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'

/** A program of the cluster. */
export interface Child {
  readonly name: string
  readonly pid: number
  /** How it ended, in words, whoever ended it. */
  readonly ended: Promise<string>
  /** Ends it in good order, or after eight seconds by force. */
  stop(): Promise<void>
}

/** How a program is started. */
export interface Start {
  readonly name: string
  readonly command: string
  readonly args: readonly string[]
  /** What it prints when it is ready. */
  readonly ready: RegExp
}

const READY_MS = 10_000
/** A gateway gives what is under way five. */
const STOP_MS = 8000
const TAIL_LINES = 20

/**
 * Starts a program and waits until it is ready. It has a process group of its own: a Ctrl-C reaches it only through `stop`,
 * in our order.
 * @throws Error with the end of what it said
 */
export async function startChild({ name, command, args, ready }: Start): Promise<Child> {
  const child = spawn(command, args, { detached: true, stdio: ['ignore', 'pipe', 'pipe'] })
  const ended = new Promise<string>((resolve) => {
    child.once('error', ({ message }) => resolve(`could not be started: ${message}`))
    child.once('close', (code, signal) => resolve(`ended (${signal ?? `exit code ${code}`})`))
  })
  const tail: string[] = []
  const isReady = new Promise<undefined>((resolve) => {
    createInterface({ input: child.stderr }).on('line', (line) => {
      tail.push(line)
      console.error(`[${name}] ${line}`)
    })
    createInterface({ input: child.stdout }).on('line', (line) => {
      tail.push(line)
      if (tail.length > TAIL_LINES) tail.shift()
      if (ready.test(line)) resolve(undefined)
    })
  })
  const how = await Promise.race([isReady, ended, after(READY_MS, 'was not ready in time')])
  if (how !== undefined) {
    child.kill('SIGKILL')
    throw new Error([`${name} ${how}`, ...tail].join('\n  '))
  }
  const stop = async () => {
    child.kill('SIGTERM')
    if ((await Promise.race([ended, after(STOP_MS, 'late')])) === 'late') child.kill('SIGKILL')
    await ended
  }
  return { name, pid: child.pid ?? 0, ended, stop }
}

function after(ms: number, what: string): Promise<string> {
  return new Promise((resolve) => void setTimeout(() => resolve(what), ms).unref())
}
