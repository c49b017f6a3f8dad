import { RateLimitError } from '../model/errors.js'
import { monotonicNow } from '../model/timers.js'
import { nodeOf, type RedisClient } from './client.js'
import { Deadlines, type Waiting } from './deadlines.js'
import { ScriptRunner } from './run-script.js'
import type { Script } from './scripts.gen.js'
import { ServerTime, type Span } from './server-time.js'

/** One script call, and what to make of its reply. */
export interface Call<T> {
  readonly script: Script
  readonly keys: readonly string[]
  readonly slot: number
  readonly argumentsFor: (span: Span) => string[]
  readonly read: (reply: unknown) => Answer<T>
}

/** A script says that it came too late, or what it was asked for; and always its server's time. */
export type Answer<T> =
  | { readonly late: true; readonly now: number }
  | { readonly late: false; readonly now: number; readonly value: T }

interface Pending<T> extends Call<T> {
  readonly waiting: Waiting
  readonly isSecond: boolean
  readonly resolve: (value: T) => void
  readonly reject: (error: RateLimitError) => void
}

/** Calls scripts: an answer within the deadline, or an error that says why there is none. */
export class ScriptCalls {
  readonly #client: RedisClient
  readonly #runner: ScriptRunner
  readonly #deadlineMs: number
  readonly #deadlines: Deadlines
  readonly #time = new ServerTime()

  constructor(client: RedisClient, deadlineMs: number) {
    this.#client = client
    this.#runner = new ScriptRunner(client)
    this.#deadlineMs = deadlineMs
    this.#deadlines = new Deadlines(deadlineMs)
  }

  /** Rejects with `RL_DEADLINE` when no answer comes in time, with `RL_STORE` for every other failure. */
  call<T>(call: Call<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      const waiting = this.#wait(reject)
      this.#send({ ...call, waiting, isSecond: false, resolve, reject })
    })
  }

  delete(keys: readonly string[]): Promise<void> {
    return new Promise((resolve, reject) => {
      const waiting = this.#wait(reject)
      this.#client.del(...keys).then(
        () => end(waiting, resolve),
        (error) => end(waiting, () => reject(storeError(error))),
      )
    })
  }

  close(): void {
    this.#deadlines.close()
  }

  #wait(reject: (error: RateLimitError) => void): Waiting {
    return this.#deadlines.start(monotonicNow(), () => reject(this.#tooLate()))
  }

  #send<T>(pending: Pending<T>): void {
    const { script, keys, slot, argumentsFor, waiting, reject } = pending
    const node = this.#nodeOf(slot)
    const span = this.#time.spanOf(node, monotonicNow(), waiting.at)
    this.#runner.run(script, keys.length, [...keys, ...argumentsFor(span)]).then(
      (reply) => this.#received(pending, reply, node),
      (error) => end(waiting, () => reject(storeError(error))),
    )
  }

  #received<T>(pending: Pending<T>, reply: unknown, askedNode: string | number): void {
    const { slot, read, waiting, isSecond, resolve, reject } = pending
    let answer: Answer<T>
    try {
      answer = read(reply)
    } catch (error) {
      end(waiting, () => reject(storeError(error)))
      return
    }
    const node = this.#nodeOf(slot)
    // A slot that moved meanwhile: it may be the old node that answered. A refusal has to be learned from all the same.
    if (node === askedNode || answer.late) this.#time.learn(node, answer.now, monotonicNow(), answer.late)
    if (!answer.late) end(waiting, () => resolve(answer.value))
    // Nothing was charged, and now the server's time is known: the one case in which a call is sent again.
    else if (!isSecond && !waiting.done) this.#send({ ...pending, isSecond: true })
    else end(waiting, () => reject(this.#tooLate()))
  }

  #nodeOf(slot: number): string | number {
    return this.#client.isCluster === true ? nodeOf(this.#client, slot) : slot
  }

  #tooLate(): RateLimitError {
    return new RateLimitError('RL_DEADLINE', `store: Redis gave no answer within ${this.#deadlineMs} ms`)
  }
}

function end(waiting: Waiting, settle: () => void): void {
  if (waiting.done) return
  waiting.done = true
  settle()
}

/** Errors whose text speaks of the settings of a client, and not of what has happened. */
const LOST: Readonly<Record<string, string>> = { MaxRetriesPerRequestError: 'the connection was lost' }

function storeError(cause: unknown): RateLimitError {
  const message = cause instanceof Error ? (LOST[cause.name] ?? cause.message) : String(cause)
  return new RateLimitError('RL_STORE', `store: Redis could not decide: ${message.slice(0, 200)}`, { cause })
}
