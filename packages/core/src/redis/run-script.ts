import type { ScriptClient } from './client.js'
import type { Script } from './scripts.gen.js'

/** Makes a server from 7.0 on check a script before it runs: no memory, a replica and the like are errors at once. */
const SHEBANG = '#!lua\n'

/** What to run: a script, its keys, and what it is asked. */
export interface Run {
  readonly script: Script
  readonly keys: readonly string[]
  readonly question: string
}

/** Who waits for a script. One of the two is called, once. */
export interface Receiver {
  received(reply: unknown): void
  failed(error: unknown): void
}

/** Runs scripts by their hash. Sends the text where the server lacks it, and repeats nothing else. */
export class ScriptRunner {
  readonly #client: ScriptClient
  /** Servers before 7.0 can't compile the line. */
  #plain = false
  /** Scripts whose text is on its way. */
  readonly #sending = new Set<Script>()

  constructor(client: ScriptClient) {
    this.#client = client
  }

  /** Never throws, also where the client does: a call may be made while the reply to another is handled. */
  run(run: Run, receiver: Receiver): void {
    this.#byHash(run, receiver, () => {
      // Of all the calls that a new server did not know what to do with one sends the text: it is a hundred times as long
      // as a call. The others follow it, on the same connection mostly.
      if (!this.#sending.has(run.script)) this.#byText(run, receiver)
      else this.#byHash(run, receiver, () => this.#byText(run, receiver))
    })
  }

  #byHash({ script, keys, question }: Run, receiver: Receiver, otherwise: () => void): void {
    const sha = this.#plain ? script.plainSha : script.sha
    try {
      this.#client.evalshaBuffer(sha, keys.length, ...keys, question).then(
        (reply) => receiver.received(reply),
        (error: unknown) => {
          if (says(error, 'NOSCRIPT')) otherwise()
          else receiver.failed(error)
        },
      )
    } catch (error) {
      receiver.failed(error)
    }
  }

  #byText(run: Run, receiver: Receiver): void {
    this.#evaluated(run).then(
      (reply) => receiver.received(reply),
      (error: unknown) => receiver.failed(error),
    )
  }

  async #evaluated({ script, keys, question }: Run): Promise<unknown> {
    const evaluated = (text: string) => this.#client.evalBuffer(text, keys.length, ...keys, question)
    this.#sending.add(script)
    try {
      if (!this.#plain) return await evaluated(SHEBANG + script.text)
    } catch (error) {
      if (!says(error, 'Error compiling script')) throw error
      this.#plain = true
    } finally {
      this.#sending.delete(script)
    }
    return evaluated(script.text)
  }
}

function says(error: unknown, words: string): boolean {
  return error instanceof Error && error.message.includes(words)
}
