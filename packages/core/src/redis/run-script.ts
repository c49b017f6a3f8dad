import type { RedisClient } from './client.js'
import type { Script } from './scripts.gen.js'

/** Makes a server from 7.0 on check a script before it runs: no memory, a replica and the like are errors at once. */
const SHEBANG = '#!lua\n'

/** Runs scripts by their hash. Sends the text where the server lacks it, and repeats nothing else. */
export class ScriptRunner {
  readonly #client: RedisClient
  /** Servers before 7.0 can't compile the line. */
  #plain = false

  constructor(client: RedisClient) {
    this.#client = client
  }

  /** Never throws, also where the client does: a call may be made while the reply to another is handled. */
  run(script: Script, keys: number, list: string[]): Promise<unknown> {
    const sha = this.#plain ? script.plainSha : script.sha
    try {
      return this.#client.evalsha(sha, keys, ...list).catch((error: unknown) => {
        if (!saysAny(error, 'NOSCRIPT')) throw error
        return this.#send(script, keys, list)
      })
    } catch (error) {
      return Promise.reject(error)
    }
  }

  #send(script: Script, keys: number, list: string[]): Promise<unknown> {
    if (this.#plain) return this.#client.eval(script.text, keys, ...list)
    return this.#client.eval(SHEBANG + script.text, keys, ...list).catch((error: unknown) => {
      if (!saysAny(error, 'Error compiling script')) throw error
      this.#plain = true
      return this.#client.eval(script.text, keys, ...list)
    })
  }
}

function saysAny(error: unknown, words: string): boolean {
  return error instanceof Error && error.message.includes(words)
}
