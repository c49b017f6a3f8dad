import { type ChildProcess, fork } from 'node:child_process'
import { guard, unguard } from '../../support/guardian.js'
import type { Phase, Tallies } from './decider.js'
import type { Place, StandIn } from './fault.js'

/** What the process is given. */
export interface LoadInput {
  readonly limiters: readonly { readonly name: string; readonly standIn: StandIn; readonly place: Place }[]
  /** The clients can't connect yet. */
  readonly fromStart: boolean
}

/** What it is told: which phase has begun, or to close all; to leave is to close while the store fails. */
export type Order = Phase | 'finish' | 'leave'

/** What it says. */
export type Word =
  | { readonly type: 'ready' }
  | { readonly type: 'back'; readonly isBack: boolean }
  | { readonly type: 'report'; readonly report: Report }

export interface Report {
  readonly deciders: readonly {
    readonly tallies: Tallies
    readonly lines: readonly string[]
    readonly unsettled: number
    readonly dishonest: number
    /** What the store has counted. */
    readonly counter: number | undefined
    /** From the end of the fault to the first decision of the store. */
    readonly backMs: number | undefined
  }[]
  readonly maxDelayMs: number
  readonly unhandled: number
}

export interface Ended extends Report {
  readonly exitCode: number | null
  /** From its report, when everything is closed, to its end, which it came to by itself. */
  readonly exitMs: number
}

/** A process that decides a hundred times a second for each of its limiters. */
export interface Load {
  enter(phase: Phase): void
  /** Whether the store came back for all limiters. To be called after entering the last phase. */
  isBack(): Promise<boolean>
  end(how: 'finish' | 'leave'): Promise<Ended>
}

const PATIENCE_MS = 40_000

/** Starts it, and returns when its clients are connected. It dies with this process. */
export async function startLoad(program: URL, input: LoadInput): Promise<Load> {
  const child = fork(program, [JSON.stringify(input)], {
    execArgv: [],
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  })
  const { pid = 0 } = child
  guard(pid)
  child.once('exit', () => unguard(pid))
  const errors = textOf(child)
  const hear = <Type extends Word['type']>(type: Type) => wordOf(child, type, errors)
  const tell = (order: Order) => void child.send(order, () => {})
  await hear('ready')
  return {
    enter: tell,
    isBack: async () => (await hear('back')).isBack,
    async end(how) {
      const exited = new Promise<number | null>((resolve) => child.once('exit', resolve))
      const said = hear('report')
      tell(how)
      const { report } = await said
      const closedAt = performance.now()
      const patience = setTimeout(() => child.kill('SIGKILL'), 10_000)
      const exitCode = await exited
      clearTimeout(patience)
      return { ...report, exitCode, exitMs: performance.now() - closedAt }
    },
  }
}

function textOf(child: ChildProcess): () => string {
  let text = ''
  child.stderr?.setEncoding('utf8').on('data', (part: string) => {
    text = (text + part).slice(-4000)
  })
  return () => text
}

function wordOf<Type extends Word['type']>(
  child: ChildProcess,
  type: Type,
  errors: () => string,
): Promise<Extract<Word, { type: Type }>> {
  return new Promise((resolve, reject) => {
    const over = (how: string) => {
      stop()
      reject(new Error(`the process that decides ${how} before it said "${type}"\n${errors()}`))
    }
    const onExit = () => over('ended')
    const onWord = (word: Word) => {
      if (word.type !== type) return
      stop()
      resolve(word as Extract<Word, { type: Type }>)
    }
    const patience = setTimeout(() => over(`took more than ${PATIENCE_MS} ms`), PATIENCE_MS)
    const stop = () => {
      clearTimeout(patience)
      child.off('exit', onExit).off('message', onWord)
    }
    child.on('exit', onExit).on('message', onWord)
  })
}
