import type { Decision, Limiter } from '@rl/core'

/** What one request was charged before it ran, to be corrected once when it has. */
export class Reservation {
  readonly decision: Decision
  readonly #limiters: readonly Limiter[]
  readonly #closed: () => void
  #isOpen = true

  constructor(decision: Decision, limiters: readonly Limiter[], closed: () => void) {
    this.decision = decision
    this.#limiters = limiters
    this.#closed = closed
  }

  /** When it was charged by the clock that decided, in ms since 1970; undefined where nothing was counted. */
  get chargedAt(): number | undefined {
    return this.decision.counted ? this.decision.receipt?.at : undefined
  }

  /** The request cost so many tokens, and the model's rate stays charged. Only the first end of a reservation counts. */
  settle(tokens: number): Promise<void> {
    const [user] = this.#limiters
    return this.#close(async () => user?.settle(this.decision, { tokens }))
  }

  /** The request came to nothing: all is given back. */
  giveBack(): Promise<void> {
    return this.#close(async () => {
      await Promise.all(this.#limiters.map((limiter) => limiter.refund(this.decision)))
    })
  }

  async #close(correct: () => Promise<void>): Promise<void> {
    if (!this.#isOpen) return
    this.#isOpen = false
    try {
      await correct()
    } finally {
      this.#closed()
    }
  }
}
