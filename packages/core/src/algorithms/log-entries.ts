/**
 * The entries of one sliding log, oldest first, one for each millisecond that was charged. Beside each time stands the
 * weight of all entries up to it, so that expiry and waits are binary searches. What `head` has passed is dropped later,
 * when it is half of the list: O(1) a charge.
 */
export class LogEntries {
  head = 0
  #times: number[] = []
  #sums: number[] = []

  /** Time of the newest entry, -1 without one. */
  get newest(): number {
    return this.#times.length > this.head ? (this.#times.at(-1) as number) : -1
  }

  /** Index of the first entry later than `time`. */
  firstAfter(time: number): number {
    return search(this.#times, this.head, time + 1)
  }

  /** Weight of the entries from `index` on. */
  weightFrom(index: number): number {
    return this.#sumBefore(this.#sums.length) - this.#sumBefore(index)
  }

  /** Time of the entry with which the weight counted from `index` reaches `weight`. */
  timeOf(index: number, weight: number): number {
    return this.#times[search(this.#sums, index, this.#sumBefore(index) + weight)] as number
  }

  /** Drops the entries before `index`, and brings those later than `now` together at `now`. */
  keep(index: number, now: number): void {
    this.head = index
    const late = this.firstAfter(now)
    if (late < this.#times.length) {
      const into = late > this.head && this.#times[late - 1] === now ? late - 1 : late
      this.#times.length = into + 1
      this.#times[into] = now
      this.#sums[into] = this.#sums.at(-1) as number
      this.#sums.length = into + 1
    }
    if (this.head > 0 && this.head * 2 >= this.#times.length) this.#compact()
  }

  /** Adds weight at `now`, which is no earlier than the newest entry; all live weight stays below 2^52. */
  push(now: number, weight: number): void {
    if (this.#sumBefore(this.#sums.length) + weight > Number.MAX_SAFE_INTEGER) this.#compact()
    const sum = this.#sumBefore(this.#sums.length) + weight
    if (this.newest === now) {
      this.#sums[this.#sums.length - 1] = sum
    } else {
      this.#times.push(now)
      this.#sums.push(sum)
    }
  }

  /** Takes weight, as far as there is, from the entry of that time. */
  lighten(time: number, weight: number): void {
    const index = search(this.#times, this.head, time)
    if (this.#times[index] !== time) return
    const less = Math.min(weight, this.#weightAt(index))
    for (let i = index; i < this.#sums.length; i++) (this.#sums[i] as number) -= less
    // The last entry always weighs something: its time is when the log is empty again.
    while (this.#times.length > this.head && this.#weightAt(this.#times.length - 1) === 0) {
      this.#times.pop()
      this.#sums.pop()
    }
  }

  #weightAt(index: number): number {
    return this.#sumBefore(index + 1) - this.#sumBefore(index)
  }

  #sumBefore(index: number): number {
    return index > 0 ? (this.#sums[index - 1] as number) : 0
  }

  #compact(): void {
    const dropped = this.#sumBefore(this.head)
    this.#times = this.#times.slice(this.head)
    this.#sums = this.#sums.slice(this.head).map((sum) => sum - dropped)
    this.head = 0
  }
}

/** Index of the first number from `from` on that is at least `wanted`, in an ascending list. */
function search(list: readonly number[], from: number, wanted: number): number {
  let low = from
  let high = list.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((list[middle] as number) < wanted) low = middle + 1
    else high = middle
  }
  return low
}
