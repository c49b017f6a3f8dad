import type { Meter, SlidingLogPolicy } from './meter.js'

interface Admission {
  readonly time: bigint
  readonly weight: bigint
}

/** Remembers every admission until its age reaches the window. */
export class SlidingLogMeter implements Meter {
  private constructor(
    private readonly policy: SlidingLogPolicy,
    private readonly now: bigint,
    private readonly admissions: readonly Admission[],
    readonly repaired: boolean,
  ) {}

  static at(policy: SlidingLogPolicy, now: bigint, stored?: Meter): SlidingLogMeter {
    if (!(stored instanceof SlidingLogMeter)) return new SlidingLogMeter(policy, now, [], false)
    const repaired = stored.admissions.some(({ time }) => time > now)
    const past = repaired ? stored.admissions.map((entry) => notAfter(now, entry)) : stored.admissions
    const gone = now - BigInt(policy.windowMs)
    return new SlidingLogMeter(
      policy,
      now,
      past.filter(({ time }) => time > gone),
      repaired,
    )
  }

  later(ms: number): SlidingLogMeter {
    return SlidingLogMeter.at(this.policy, this.now + BigInt(ms), this)
  }

  admits(cost: number): boolean {
    return this.used() + BigInt(cost) <= BigInt(this.policy.limit)
  }

  charge(cost: number): SlidingLogMeter {
    if (cost === 0) return this
    return this.keeping([...this.admissions, { time: this.now, weight: BigInt(cost) }])
  }

  /** An admission that got all its weight back is as if it had never been. */
  refund(amount: number, at: number): SlidingLogMeter {
    let owed = BigInt(amount)
    const admissions = this.admissions.map(({ time, weight }) => {
      const back = time !== BigInt(at) ? 0n : owed < weight ? owed : weight
      owed -= back
      return { time, weight: weight - back }
    })
    return this.keeping(admissions.filter(({ weight }) => weight > 0n))
  }

  private used(): bigint {
    return this.admissions.reduce((sum, { weight }) => sum + weight, 0n)
  }

  private keeping(admissions: readonly Admission[]): SlidingLogMeter {
    return new SlidingLogMeter(this.policy, this.now, admissions, this.repaired)
  }
}

function notAfter(now: bigint, { time, weight }: Admission): Admission {
  return { time: time > now ? now : time, weight }
}
