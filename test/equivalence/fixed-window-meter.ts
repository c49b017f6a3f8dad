import type { FixedWindowPolicy, Meter } from './meter.js'

/** Counts charges in windows that start at multiples of the window, or at the first charge. */
export class FixedWindowMeter implements Meter {
  private constructor(
    private readonly policy: FixedWindowPolicy,
    private readonly now: bigint,
    private readonly start: bigint,
    private readonly count: bigint,
    readonly repaired: boolean,
  ) {}

  static at(policy: FixedWindowPolicy, now: bigint, stored?: Meter): FixedWindowMeter {
    const window = BigInt(policy.windowMs)
    const start = policy.align === 'epoch' ? now - (now % window) : now
    if (!(stored instanceof FixedWindowMeter)) return new FixedWindowMeter(policy, now, start, 0n, false)
    if (stored.start > start) return new FixedWindowMeter(policy, now, start, stored.count, true)
    const over = now >= stored.start + window || stored.count === 0n
    return over
      ? new FixedWindowMeter(policy, now, start, 0n, false)
      : new FixedWindowMeter(policy, now, stored.start, stored.count, false)
  }

  later(ms: number): FixedWindowMeter {
    return FixedWindowMeter.at(this.policy, this.now + BigInt(ms), this)
  }

  admits(cost: number): boolean {
    return this.count + BigInt(cost) <= BigInt(this.policy.limit)
  }

  charge(cost: number): FixedWindowMeter {
    return this.counting(this.count + BigInt(cost))
  }

  refund(amount: number, at: number): FixedWindowMeter {
    const end = this.start + BigInt(this.policy.windowMs)
    const ofThisWindow = BigInt(at) >= this.start && (this.policy.align === 'first-hit' || BigInt(at) < end)
    if (!ofThisWindow) return this
    const left = this.count - BigInt(amount)
    return this.counting(left > 0n ? left : 0n)
  }

  private counting(count: bigint): FixedWindowMeter {
    return new FixedWindowMeter(this.policy, this.now, this.start, count, this.repaired)
  }
}
