import { setImmediate } from 'node:timers/promises'

/** The longest that requests wait for a piece of the work. */
const PIECE_MS = 4
/** Steps between two looks at the clock. */
const STEPS = 64

/** Cuts long work into pieces, between which requests are answered. */
export class Breath {
  #steps = 0
  #since = performance.now()

  /** To be asked at each step of the work; when true, `await` the rest. */
  isDue(): boolean {
    return ++this.#steps % STEPS === 0 && performance.now() - this.#since > PIECE_MS
  }

  async rest(): Promise<void> {
    await setImmediate()
    this.#since = performance.now()
  }
}
