import { copyOf } from '../model/copy-of.js'

/** More receipts than are under way at once in one process; each takes some 70 bytes. */
const KEPT = 65_536

/** Which receipts have been settled, the latest of them. */
export class Settled {
  readonly #ids = new Set<string>()

  /** True the first time. */
  mark(id: string): boolean {
    const own = copyOf(id)
    if (this.#ids.has(own)) return false
    this.#ids.add(own)
    const [oldest] = this.#ids
    if (this.#ids.size > KEPT && oldest !== undefined) this.#ids.delete(oldest)
    return true
  }
}
