import type { Store } from '@rl/core'

/** Fewer are not worth looking through. */
const SOME = 64

/** The stores that a limiter has been seen with. It keeps none of them alive. */
export class Stores {
  readonly #known = new WeakSet<Store>()
  #refs: WeakRef<Store>[] = []
  #pruneAt = SOME

  saw(store: Store): void {
    if (this.#known.has(store)) return
    this.#known.add(store)
    this.#refs.push(new WeakRef(store))
    if (this.#refs.length < this.#pruneAt) return
    this.live()
    this.#pruneAt = Math.max(SOME, this.#refs.length * 2)
  }

  /** Those that somebody still uses. */
  live(): readonly Store[] {
    this.#refs = this.#refs.filter((ref) => ref.deref() !== undefined)
    return this.#refs.flatMap((ref) => ref.deref() ?? [])
  }
}
