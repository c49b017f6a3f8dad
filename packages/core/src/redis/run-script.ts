import type { RedisClient } from './client.js'
import type { Script } from './scripts.gen.js'

/** Makes a server from 7.0 on check a script before it runs: no memory, a replica and the like are errors at once. */
const SHEBANG = '#!lua\n'

/** Runs scripts by their hash. Sends the text where the server lacks it, and repeats nothing else. */
export class ScriptRunner {
  readonly #client: RedisClient
  /** Servers before 7.0 can't compile the line. */
  #plain = false
  /** Scripts whose text is on its way. */
  readonly #sending = new Set<Script>()

  constructor(client: RedisClient) {
    this.#client = client
  }

  /** Never throws, also where the client does: a call may be made while the reply to another is handled. */
  run(script: Script, keys: number, list: string[]): Promise<unknown> {
    return this.#byHash(script, keys, list, () => {
      // Of all the calls that a new server did not know what to do with one sends the text: it is a hundred times as long
      // as a call. The others follow it, on the same connection mostly.
      if (!this.#sending.has(script)) return this.#byText(script, keys, list)
      return this.#byHash(script, keys, list, () => this.#byText(script, keys, list))
    })
  }

  #byHash(script: Script, keys: number, list: string[], otherwise: () => Promise<unknown>): Promise<unknown> {
    const sha = this.#plain ? script.plainSha : script.sha
    try {
      return this.#client.evalsha(sha, keys, ...list).catch((error: unknown) => {
        if (!says(error, 'NOSCRIPT')) throw error
        return otherwise()
      })
    } catch (error) {
      return Promise.reject(error)
    }
  }

  async #byText(script: Script, keys: number, list: string[]): Promise<unknown> {
    this.#sending.add(script)
    try {
      if (!this.#plain) return await this.#client.eval(SHEBANG + script.text, keys, ...list)
    } catch (error) {
      if (!says(error, 'Error compiling script')) throw error
      this.#plain = true
    } finally {
      this.#sending.delete(script)
    }
    return this.#client.eval(script.text, keys, ...list)
  }
}

function says(error: unknown, words: string): boolean {
  return error instanceof Error && error.message.includes(words)
}
