/** A model server. */
export interface Upstream {
  readonly url: string
}

interface Entry extends Upstream {
  inFlight: number
  /** The number of the choice that took it last. */
  chosen: number
  /** Until then it is only asked when no other is left. */
  restsUntil: number
}

const REST_MS = 5000

/** Model servers, of which the one with the least requests in flight is taken. */
export class Upstreams {
  readonly #entries: readonly Entry[]
  #choices = 0

  constructor(urls: readonly string[]) {
    this.#entries = urls.map((url) => ({ url, inFlight: 0, chosen: 0, restsUntil: 0 }))
  }

  /** The best one that was not tried; of equal ones the one that has waited longest. */
  choose(tried: ReadonlySet<Upstream>): Upstream | undefined {
    const now = performance.now()
    const order = (entry: Entry) => [Number(entry.restsUntil > now), entry.inFlight, entry.chosen] as const
    const [best] = this.#entries
      .filter((entry) => !tried.has(entry))
      .sort((a, b) => {
        const [first, second] = [order(a), order(b)]
        return first[0] - second[0] || first[1] - second[1] || first[2] - second[2]
      })
    return best
  }

  /** Counts a request; the function that it gives ends it, once. */
  begin(upstream: Upstream): () => void {
    const entry = upstream as Entry
    entry.inFlight++
    entry.chosen = ++this.#choices
    let isOver = false
    return () => {
      if (!isOver) entry.inFlight--
      isOver = true
    }
  }

  /** It failed: it would look idle, and draw every request, just because it does nothing. */
  rest(upstream: Upstream): void {
    const entry = upstream as Entry
    entry.restsUntil = performance.now() + REST_MS
  }

  /** How many requests each has in flight. */
  inFlight(): Readonly<Record<string, number>> {
    return Object.fromEntries(this.#entries.map(({ url, inFlight }) => [url, inFlight]))
  }
}
