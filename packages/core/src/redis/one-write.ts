/** A connection that can hold back what is written to it, as those of Node do. */
export interface Corkable {
  cork(): void
  uncork(): void
}

/** What waits for it has its turn after all that is already in line. `queueMicrotask` costs several times as much in Node. */
const TURN = Promise.resolve()

/** More are not held back: the server is to work on some while others are made ready. */
const MOST = 8

/**
 * Calls that follow each other at once leave in few writes: the first alone, so that one that has none after it waits for
 * nothing, and then up to eight together. A write of its own costs a call as much as all else that is done for it.
 */
export class OneWrite {
  readonly #streamOf: () => Corkable | undefined
  #isOpen = false
  #held: Corkable | undefined
  #count = 0

  /** `streamOf` is asked each time: a client that lost its connection gets another. */
  constructor(streamOf: () => Corkable | undefined) {
    this.#streamOf = streamOf
  }

  /** To be called before each call. */
  next(): void {
    if (!this.#isOpen) {
      this.#isOpen = true
      // Answers that came together are all handled before it is its turn, and so are the calls that follow from them.
      void TURN.then(this.#end)
      return
    }
    if (this.#count === MOST) this.#release()
    if (this.#held === undefined) this.#hold()
    this.#count++
  }

  #hold(): void {
    const stream = this.#streamOf()
    if (typeof stream?.cork !== 'function') return
    stream.cork()
    this.#held = stream
  }

  #release(): void {
    this.#held?.uncork()
    this.#held = undefined
    this.#count = 0
  }

  readonly #end = (): void => {
    this.#isOpen = false
    this.#release()
  }
}
