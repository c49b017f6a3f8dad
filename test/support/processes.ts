import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { guard, unguard } from './guardian.js'

/** What to fork, how often, and with what. */
export interface ProcessesOptions {
  /** A program in plain JavaScript (`.mjs`) that calls `atBarrier` of `barrier.mjs`. */
  readonly program: URL
  readonly count: number
  /** JSON-safe input for the process with this index. @default undefined, which arrives as null */
  readonly input?: (index: number) => unknown
  /** Added to the environment, for instance a clock shim's `env`. */
  readonly env?: Readonly<Record<string, string>>
  /** Arguments for Node itself, such as `--expose-gc`. @default none */
  readonly execArgv?: readonly string[]
  /** Bound for the work; getting ready has 20 s of its own. @default 20000 */
  readonly timeoutMs?: number
}

/** Processes that have all prepared themselves and wait. */
export interface Processes {
  readonly pids: readonly number[]
  /**
   * Starts all at once and resolves to their results, in order of their index. All are dead afterwards.
   *
   * @throws Error with the stderr of a process that failed, was killed or took too long.
   */
  go<Result>(): Promise<readonly Result[]>
  /** Starts all and leaves them alone, to be killed at work. Their failures are nobody's. */
  release(): void
  /** Kills one (SIGKILL). */
  kill(index: number): Promise<void>
  /** Kills all. */
  stop(): Promise<void>
}

const readyMs = 20_000

/** Forks, starts all together and collects the results: `runTogether<number>({ program, count: 8 })`. */
export async function runTogether<Result>(options: ProcessesOptions): Promise<readonly Result[]> {
  return (await startProcesses(options)).go<Result>()
}

/**
 * Forks the processes and returns when all wait at the barrier. They die with this process, however it ends.
 *
 * @throws Error with the stderr of a process that did not get ready.
 */
export async function startProcesses(options: ProcessesOptions): Promise<Processes> {
  const { count, timeoutMs = readyMs } = options
  const members = Array.from({ length: count }, (_, index) => startMember(options, index))
  const stop = async (): Promise<void> => {
    await Promise.all(members.map((member) => member.kill()))
  }
  const collect = async (type: Message['type'], ms: number): Promise<readonly unknown[]> => {
    try {
      return await Promise.all(members.map((member) => member.next(type, ms)))
    } catch (error) {
      await stop()
      throw error
    }
  }
  const release = (): void => {
    for (const { child } of members) child.send({ type: 'go' }, sendFailed)
  }
  await collect('ready', readyMs)
  return {
    pids: members.map(({ child }) => child.pid ?? 0),
    async go<Result>() {
      const results = collect('result', timeoutMs)
      release()
      // Only the caller knows what its program sends.
      const collected = (await results) as readonly Result[]
      await stop()
      return collected
    },
    release,
    kill: async (index) => members[index]?.kill(),
    stop,
  }
}

/** Nothing to do: a process that cannot be reached has ended, which `next` reports with its stderr. */
function sendFailed(): void {}

interface Message {
  readonly type: 'ready' | 'result'
  readonly result?: unknown
}

interface Member {
  readonly child: ChildProcess
  next(type: Message['type'], timeoutMs: number): Promise<unknown>
  kill(): Promise<void>
}

function startMember(options: ProcessesOptions, index: number): Member {
  const { program, input = () => null, env = {}, execArgv = [] } = options
  // Without execArgv a fork would inherit the loaders of the test runner.
  const child = fork(program, [JSON.stringify(input(index) ?? null)], {
    env: { ...process.env, ...env },
    execArgv: [...execArgv],
    serialization: 'advanced',
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  })
  let stderr = ''
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    stderr = (stderr + text).slice(-4000)
  })
  const { pid } = child
  if (pid !== undefined) guard(pid)
  child.once('exit', () => pid !== undefined && unguard(pid))
  const ended = new Promise<string>((resolve) => {
    // 'close' comes after 'exit', when stderr has been read to its end.
    child.once('close', (code, signal) => resolve(`ended (${signal ?? `exit code ${code}`})`))
    child.once('error', (error) => resolve(`failed (${error.message})`))
  })

  return {
    child,
    next(type, timeoutMs) {
      return new Promise((resolve, reject) => {
        const fail = (how: string): void => {
          clearTimeout(timer)
          const name = `Process ${index} of ${fileURLToPath(program)}`
          reject(new Error(`${name} ${how} before it sent "${type}". Its stderr:\n${stderr}`))
        }
        const timer = setTimeout(() => fail(`took more than ${timeoutMs} ms`), timeoutMs)
        void ended.then(fail)
        child.once('message', (message: Message) => {
          clearTimeout(timer)
          resolve(message.result)
        })
      })
    },
    async kill() {
      if (child.exitCode !== null || child.signalCode !== null) return
      const exit = once(child, 'exit')
      child.kill('SIGKILL')
      await exit
    },
  }
}
