import type { Store } from '@rl/core'

/** Fewer are not worth looking through. */
const SOME = 64

/** The stores that a limiter has been seen with. It keeps none of them alive beyond the next scrape. */
export class Stores {
  readonly #known = new WeakSet<Store>()
  #refs: WeakRef<Store>[] = []
  #pruneAt = SOME
  /** The one seen last, mostly the next one too. */
  #last: Store | undefined

  saw(store: Store): void {
    if (store === this.#last) return
    this.#last = store
    if (this.#known.has(store)) return
    this.#known.add(store)
    this.#refs.push(new WeakRef(store))
    if (this.#refs.length < this.#pruneAt) return
    this.live()
    this.#pruneAt = Math.max(SOME, this.#refs.length * 2)
  }

  /** Those that somebody still uses. */
  live(): readonly Store[] {
    this.#last = undefined
    this.#refs = this.#refs.filter((ref) => ref.deref() !== undefined)
    return this.#refs.flatMap((ref) => ref.deref() ?? [])
  }
}
