import { RateLimitError } from '../model/errors.js'
import { monotonicNow } from '../model/timers.js'
import { nodeOf, type ScriptClient } from './client.js'
import { Deadlines, type Waiting } from './deadlines.js'
import { OneWrite } from './one-write.js'
import { type Receiver, ScriptRunner } from './run-script.js'
import type { Script } from './scripts.gen.js'
import { ServerTime, type Span } from './server-time.js'

/** One script call, and what to make of its reply. */
export interface Call<T> {
  readonly script: Script
  readonly keys: readonly string[]
  readonly slot: number
  questionFor(span: Span): string
  read(reply: unknown): Answer<T>
}

/** A script says that it came too late, or what it was asked for; and always its server's time. */
export type Answer<T> =
  | { readonly late: true; readonly now: number }
  | { readonly late: false; readonly now: number; readonly value: T }

/** What the calls to one client have in common. */
interface Line {
  readonly client: ScriptClient
  readonly runner: ScriptRunner
  readonly time: ServerTime
  readonly writes: OneWrite
  readonly deadlineMs: number
}

/** Calls scripts: an answer within the deadline, or an error that says why there is none. */
export class ScriptCalls {
  readonly #line: Line
  readonly #deadlines: Deadlines

  constructor(client: ScriptClient, deadlineMs: number) {
    this.#line = {
      client,
      runner: new ScriptRunner(client),
      time: new ServerTime(),
      writes: new OneWrite(() => client.stream),
      deadlineMs,
    }
    this.#deadlines = new Deadlines(deadlineMs)
  }

  /** Rejects with `RL_DEADLINE` when no answer comes in time, with `RL_STORE` for every other failure. */
  call<T>(call: Call<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      const now = monotonicNow()
      const pending = new Pending(this.#line, call, { at: now + this.#line.deadlineMs, resolve, reject })
      this.#deadlines.start(pending)
      pending.send(now)
    })
  }

  delete(keys: readonly string[]): Promise<void> {
    const { client, deadlineMs } = this.#line
    return new Promise((resolve, reject) => {
      const fail = (): void => reject(noAnswer(deadlineMs))
      const waiting: Waiting = { at: monotonicNow() + deadlineMs, done: false, fail }
      this.#deadlines.start(waiting)
      const end = (settle: () => void): void => {
        waiting.done = true
        // Of a promise that is settled nothing comes.
        settle()
      }
      // Also what a client throws at once.
      const deleted = async (): Promise<unknown> => client.del(...keys)
      deleted().then(
        () => end(resolve),
        (error) => end(() => reject(storeError(error))),
      )
    })
  }

  close(): void {
    this.#deadlines.close()
  }
}

interface Wait<T> {
  readonly at: number
  readonly resolve: (value: T) => void
  readonly reject: (error: RateLimitError) => void
}

/** A call under way. */
class Pending<T> implements Waiting, Receiver {
  readonly at: number
  done = false
  readonly #line: Line
  readonly #call: Call<T>
  readonly #resolve: (value: T) => void
  readonly #reject: (error: RateLimitError) => void
  #node: string | number = 0
  #isSecond = false

  constructor(line: Line, call: Call<T>, { at, resolve, reject }: Wait<T>) {
    this.#line = line
    this.#call = call
    this.at = at
    this.#resolve = resolve
    this.#reject = reject
  }

  send(now: number): void {
    const { time, writes, runner } = this.#line
    const { script, keys } = this.#call
    this.#node = this.#nodeNow()
    const span = time.spanOf(this.#node, now, this.at)
    writes.next()
    runner.run({ script, keys, question: this.#call.questionFor(span) }, this)
  }

  received(reply: unknown): void {
    let answer: Answer<T>
    try {
      answer = this.#call.read(reply)
    } catch (error) {
      this.failed(error)
      return
    }
    const now = monotonicNow()
    const node = this.#nodeNow()
    // A slot that moved meanwhile: it may be the old node that answered. A refusal has to be learned from all the same.
    if (node === this.#node || answer.late) this.#line.time.learn(node, answer.now, now, answer.late)
    if (this.done) return
    // Nothing was charged, and now the server's time is known: the one case in which a call is sent again.
    if (answer.late && !this.#isSecond) {
      this.#isSecond = true
      this.send(now)
      return
    }
    this.done = true
    if (answer.late)
      this.#reject(tooLate(`refused the call twice, as too late for ${this.#line.deadlineMs} ms`))
    else this.#resolve(answer.value)
  }

  failed(error: unknown): void {
    if (this.done) return
    this.done = true
    this.#reject(storeError(error))
  }

  fail(): void {
    this.#reject(noAnswer(this.#line.deadlineMs))
  }

  #nodeNow(): string | number {
    const { client } = this.#line
    const { slot } = this.#call
    return client.isCluster === true ? nodeOf(client, slot) : slot
  }
}

function noAnswer(deadlineMs: number): RateLimitError {
  return tooLate(`gave no answer within ${deadlineMs} ms`)
}

function tooLate(what: string): RateLimitError {
  return new RateLimitError('RL_DEADLINE', `store: Redis ${what}`)
}

/** Errors whose text speaks of the settings of a client, and not of what has happened. */
const LOST: Readonly<Record<string, string>> = { MaxRetriesPerRequestError: 'the connection was lost' }

function storeError(cause: unknown): RateLimitError {
  const message = cause instanceof Error ? (LOST[cause.name] ?? cause.message) : String(cause)
  return new RateLimitError('RL_STORE', `store: Redis could not decide: ${message.slice(0, 200)}`, { cause })
}
