import { atMost, equal, type Fraction, fraction, minus, over, plus, whole } from './fraction.js'
import type { Meter, TokenBucketPolicy } from './meter.js'

interface Water {
  /** Tokens, exact; below zero after a charge that nobody asked for. */
  readonly level: Fraction
  readonly fullSince: bigint
}

/** Holds tokens, which arrive evenly until the bucket is full. */
export class TokenBucketMeter implements Meter {
  private constructor(
    private readonly policy: TokenBucketPolicy,
    private readonly now: bigint,
    private readonly water: Water,
    readonly repaired: boolean,
  ) {}

  static at(policy: TokenBucketPolicy, now: bigint, stored?: Meter): TokenBucketMeter {
    const capacity = fraction(BigInt(policy.limit))
    if (!(stored instanceof TokenBucketMeter)) {
      return new TokenBucketMeter(policy, now, { level: capacity, fullSince: now }, false)
    }
    const repaired = stored.now > now
    const since = repaired ? now : stored.now
    const { level } = stored.water
    if (equal(level, capacity)) return new TokenBucketMeter(policy, now, stored.water, repaired)
    if (atMost(capacity, level)) {
      return new TokenBucketMeter(policy, now, { level: capacity, fullSince: now }, repaired)
    }
    const risen = plus(level, gained(policy, now - since))
    if (!atMost(capacity, risen)) {
      return new TokenBucketMeter(policy, now, { ...stored.water, level: risen }, repaired)
    }
    const fullSince = since + whole(over(minus(capacity, level), gained(policy, 1n)))
    return new TokenBucketMeter(policy, now, { level: capacity, fullSince }, repaired)
  }

  later(ms: number): TokenBucketMeter {
    return TokenBucketMeter.at(this.policy, this.now + BigInt(ms), this)
  }

  admits(cost: number): boolean {
    return atMost(fraction(BigInt(cost)), this.water.level)
  }

  charge(cost: number): TokenBucketMeter {
    return this.holding(minus(this.water.level, fraction(BigInt(cost))))
  }

  refund(amount: number, at: number): TokenBucketMeter {
    const capacity = fraction(BigInt(this.policy.limit))
    if (BigInt(at) < this.water.fullSince) return this
    const risen = plus(this.water.level, fraction(BigInt(amount)))
    return this.holding(atMost(capacity, risen) ? capacity : risen)
  }

  private holding(level: Fraction): TokenBucketMeter {
    return new TokenBucketMeter(this.policy, this.now, { ...this.water, level }, this.repaired)
  }
}

function gained(policy: TokenBucketPolicy, elapsed: bigint): Fraction {
  return fraction(elapsed * BigInt(policy.refill), BigInt(policy.windowMs))
}
