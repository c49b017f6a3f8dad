import { build } from 'hdr-histogram-js'

/** Upper bounds of the classes that the terminal shows, in ms. */
const BOUNDS_MS = [
  0.5,
  1,
  2,
  5,
  10,
  20,
  50,
  100,
  200,
  500,
  1000,
  2000,
  5000,
  10_000,
  Number.POSITIVE_INFINITY,
]

export interface LatencyClass {
  /** Null for the last, which has no bound. */
  readonly upToMs: number | null
  readonly count: number
}

/** How long answers took, to three digits however long. */
export class Latencies {
  // Microseconds, up to an hour.
  readonly #values = build({ highestTrackableValue: 3_600_000_000, numberOfSignificantValueDigits: 3 })
  readonly #counts = BOUNDS_MS.map(() => 0)

  record(ms: number): void {
    this.#values.recordValue(Math.max(1, Math.round(ms * 1000)))
    const place = BOUNDS_MS.findIndex((bound) => ms <= bound)
    this.#counts[place] = (this.#counts[place] ?? 0) + 1
  }

  /** In ms. */
  percentile(percent: number): number {
    return Math.round(this.#values.getValueAtPercentile(percent) / 10) / 100
  }

  /** From the first class with a latency to the last. */
  get classes(): readonly LatencyClass[] {
    const all = BOUNDS_MS.map((bound, i) => ({
      upToMs: Number.isFinite(bound) ? bound : null,
      count: this.#counts[i] ?? 0,
    }))
    const used = all.flatMap(({ count }, i) => (count > 0 ? [i] : []))
    return all.slice(used[0] ?? 0, (used.at(-1) ?? -1) + 1)
  }
}
