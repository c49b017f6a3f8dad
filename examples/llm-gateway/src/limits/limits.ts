import {
  type ConsumeItem,
  consumeAll,
  createLimiter,
  fixedWindow,
  type Limiter,
  noopLimiter,
  type Store,
} from '@rl/core'
import type { User } from '../users/user.js'
import { Reservation } from './reservation.js'

/** What a request needs before it may run. */
export interface Need {
  readonly user: User
  readonly model: string
  /** An estimate of all tokens, of the question and the answer. */
  readonly tokens: number
  /** Of the model; undefined: its rate is not asked. */
  readonly requestsPerSecond: number | undefined
}

/** The limits of all requests: of users and of models, in one decision. */
export class Limits {
  /** One key a user with two buckets: `requests` and `tokens`, by what the user's record says at each call. */
  readonly #user: Limiter
  /** One key a model: requests in seconds of the server's clock. */
  readonly #model: Limiter
  #open = 0
  #onIdle: (() => void) | undefined

  /** Without a store nothing is counted, and all is allowed. */
  constructor(store: Store | undefined) {
    const limiter = (name: string) =>
      store === undefined ? noopLimiter() : createLimiter({ name, limit: 'per-call', store })
    this.#user = limiter('user')
    this.#model = limiter('model')
  }

  /** Charges the user and the model, or nobody. */
  async reserve({ user, model, tokens, requestsPerSecond }: Need): Promise<Reservation> {
    const items: ConsumeItem[] = [
      { limiter: this.#user, key: user.id, limit: user.limit, cost: { requests: 1, tokens } },
    ]
    if (requestsPerSecond !== undefined) {
      const limit = { model: fixedWindow({ limit: requestsPerSecond, window: '1s' }) }
      items.push({ limiter: this.#model, key: model, limit })
    }
    this.#open++
    try {
      return new Reservation(await consumeAll(items), [this.#user, this.#model], () => this.#closed())
    } catch (error) {
      this.#closed()
      throw error
    }
  }

  /** Waits until every reservation has been corrected. */
  idle(): Promise<void> {
    if (this.#open === 0) return Promise.resolve()
    return new Promise((resolve) => {
      this.#onIdle = resolve
    })
  }

  #closed(): void {
    if (--this.#open === 0) this.#onIdle?.()
  }
}
