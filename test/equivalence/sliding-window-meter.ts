import { atMost, type Fraction, fraction, plus } from './fraction.js'
import type { Meter, SlidingWindowPolicy } from './meter.js'

interface Counts {
  readonly start: bigint
  readonly current: bigint
  readonly previous: bigint
}

/** Counts the current window and the one before it, which weighs as much as the part of it still in sight. */
export class SlidingWindowMeter implements Meter {
  private constructor(
    private readonly policy: SlidingWindowPolicy,
    private readonly now: bigint,
    private readonly counts: Counts,
    readonly repaired: boolean,
  ) {}

  static at(policy: SlidingWindowPolicy, now: bigint, stored?: Meter): SlidingWindowMeter {
    const start = startOf(now, policy)
    if (!(stored instanceof SlidingWindowMeter)) {
      return new SlidingWindowMeter(policy, now, { start, current: 0n, previous: 0n }, false)
    }
    const repaired = stored.counts.start > start
    const counts = repaired ? folded(stored.counts, start, policy) : turned(stored.counts, start, policy)
    return new SlidingWindowMeter(policy, now, counts, repaired)
  }

  later(ms: number): SlidingWindowMeter {
    return SlidingWindowMeter.at(this.policy, this.now + BigInt(ms), this)
  }

  admits(cost: number): boolean {
    return atMost(plus(this.used(), fraction(BigInt(cost))), fraction(BigInt(this.policy.limit)))
  }

  charge(cost: number): SlidingWindowMeter {
    return this.counting({ ...this.counts, current: this.counts.current + BigInt(cost) })
  }

  refund(amount: number, at: number): SlidingWindowMeter {
    const { start, current, previous } = this.counts
    const window = startOf(BigInt(at), this.policy)
    if (window === start) {
      return this.counting({ ...this.counts, current: less(current, amount) })
    }
    if (window + BigInt(this.policy.windowMs) === start) {
      return this.counting({ ...this.counts, previous: less(previous, amount) })
    }
    return this
  }

  private used(): Fraction {
    const window = BigInt(this.policy.windowMs)
    const inSight = this.counts.start + window - this.now
    return plus(fraction(this.counts.previous * inSight, window), fraction(this.counts.current))
  }

  private counting(counts: Counts): SlidingWindowMeter {
    return new SlidingWindowMeter(this.policy, this.now, counts, this.repaired)
  }
}

function startOf(moment: bigint, policy: SlidingWindowPolicy): bigint {
  return moment - (moment % BigInt(policy.windowMs))
}

/** The clock went back: all that is known counts as current, up to the limit or what that window held. */
function folded(counts: Counts, start: bigint, policy: SlidingWindowPolicy): Counts {
  const limit = BigInt(policy.limit)
  const sum = counts.current + counts.previous
  const kept = sum < limit ? sum : limit
  return { start, current: counts.current > kept ? counts.current : kept, previous: 0n }
}

/** Windows pass one by one; after two of them nothing is left. */
function turned(counts: Counts, start: bigint, policy: SlidingWindowPolicy): Counts {
  let { start: reached, current, previous } = counts
  while (reached < start) {
    if (current === 0n && previous === 0n) break
    reached += BigInt(policy.windowMs)
    previous = current
    current = 0n
  }
  return { start, current, previous }
}

function less(count: bigint, amount: number): bigint {
  const left = count - BigInt(amount)
  return left > 0n ? left : 0n
}
