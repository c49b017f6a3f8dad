import { storeChannel } from '../model/channel.js'
import type { OnEvent, RateLimitEvent } from '../model/event.js'

/** Tells an event to all who listen: the option `onEvent`, which must not throw, and the channel `rl:store`. */
export class Teller {
  readonly #onEvent: OnEvent | undefined

  constructor(onEvent: OnEvent | undefined) {
    this.#onEvent = onEvent
  }

  /** False: no event needs to be made. */
  get isHeard(): boolean {
    return this.#onEvent !== undefined || storeChannel.hasSubscribers
  }

  tell(event: RateLimitEvent): void {
    this.#onEvent?.(event)
    if (storeChannel.hasSubscribers) storeChannel.publish(event)
  }
}
