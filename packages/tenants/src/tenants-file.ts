import { hash } from 'node:crypto'
import { isRateLimitError, RateLimitError } from '@rl/core'
import { Breath } from './breath.js'
import { changesOf } from './changes.js'
import { parseJson, readBytes } from './read-json.js'
import { type Snapshot, toSnapshot } from './snapshot.js'

/** The file, and the state of it that is in force. */
export class TenantsFile {
  readonly #file: string
  readonly #maxBytes: number
  #snapshot: Snapshot | undefined
  #digest = ''
  #running: Promise<unknown> = Promise.resolve()
  #waiting: Promise<boolean> | undefined
  readonly #told: (changes: string) => void

  /** `told` hears, in words, what is different whenever another state has come into force. */
  constructor(file: string, maxBytes: number, told: (changes: string) => void) {
    this.#file = file
    this.#maxBytes = maxBytes
    this.#told = told
  }

  /** What was read last without a fault. */
  get snapshot(): Snapshot {
    return this.#snapshot as Snapshot
  }

  /**
   * True when something is different. One reading after the other; who comes while one waits gets the same.
   * @throws RateLimitError `RL_CONFIG`
   */
  read(): Promise<boolean> {
    if (this.#waiting !== undefined) return this.#waiting
    const read = this.#running.then(() => {
      this.#waiting = undefined
      return this.#read()
    })
    this.#waiting = read
    this.#running = read.catch(() => {})
    return read
  }

  async #read(): Promise<boolean> {
    try {
      const bytes = await readBytes(this.#file, this.#maxBytes)
      const digest = hash('sha256', bytes)
      if (digest === this.#digest) return false
      const breath = new Breath()
      const snapshot = await toSnapshot(await parseJson(bytes, breath), breath)
      const before = this.#snapshot
      const changes = before === undefined ? '' : await changesOf(before, snapshot, breath)
      // The one step by which another state comes into force.
      this.#snapshot = snapshot
      this.#digest = digest
      if (changes !== '') this.#told(changes)
      return changes !== ''
    } catch (error) {
      if (!isRateLimitError(error)) throw error
      throw new RateLimitError('RL_CONFIG', `${this.#file}: ${error.message}`)
    }
  }
}
