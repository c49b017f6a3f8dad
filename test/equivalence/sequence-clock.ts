import type { ModelPolicy } from './meter.js'
import type { Random } from './random.js'

/** A clock that stands, creeps, jumps to the edges where decisions change, and at times goes back. */
export class SequenceClock {
  private now: number
  private readonly lately: number[] = []

  constructor(private readonly random: Random) {
    this.now = random.pick([0, 1, random.int(0, 100_000), 1_700_000_000_000 + random.int(0, 1_000_000_000)])
  }

  /** The next moment. The edges are those of the policies and of the moments before. */
  next(policies: readonly ModelPolicy[]): number {
    this.now = Math.max(0, this.random.chance(13) ? this.earlier(policies) : this.later(policies))
    this.lately.unshift(this.now)
    this.lately.length = Math.min(this.lately.length, 6)
    return this.now
  }

  private later(policies: readonly ModelPolicy[]): number {
    const { now, random } = this
    const policy = this.oneOf(policies)
    const { windowMs } = policy
    switch (
      random.weighted([
        [24, 'none'],
        [14, 'ms'],
        [20, 'small'],
        [12, 'window'],
        [27, 'edge'],
        [3, 'long'],
      ] as const)
    ) {
      case 'none':
        return now
      case 'ms':
        return now + 1
      case 'small':
        return now + random.int(2, random.pick([50, 500, Math.ceil(windowMs / 4)]))
      case 'window':
        return now + random.int(Math.floor(windowMs / 2), Math.floor(windowMs * 1.5))
      case 'edge':
        return Math.max(now, this.edge(policy) + random.int(-1, 1))
      case 'long':
        return now + windowMs * random.int(2, 20) + random.int(0, windowMs)
    }
  }

  private earlier(policies: readonly ModelPolicy[]): number {
    const { now, random } = this
    const { windowMs } = this.oneOf(policies)
    switch (
      random.weighted([
        [3, 'ms'],
        [4, 'small'],
        [3, 'window'],
        [3, 'edge'],
        [1, 'long'],
      ] as const)
    ) {
      case 'ms':
        return now - 1
      case 'small':
        return now - random.int(2, random.pick([50, 500, Math.ceil(windowMs / 4)]))
      case 'window':
        return now - random.int(Math.floor(windowMs / 2), Math.floor(windowMs * 1.5))
      case 'edge':
        return now - (now % windowMs) - windowMs * random.int(0, 2) + random.int(-1, 1)
      case 'long':
        return now - windowMs * random.int(2, 20)
    }
  }

  /** The end of a clock-aligned window, of a window since a moment, or the arrival of some tokens. */
  private edge(policy: ModelPolicy): number {
    const { now, random } = this
    const { windowMs } = policy
    const tokens =
      policy.kind === 'token-bucket' ? Math.ceil((windowMs * random.int(1, 3)) / policy.refill) : windowMs
    const sinceBefore = this.lately.map((moment) => moment + windowMs).filter((moment) => moment >= now)
    const ofClock = now - (now % windowMs) + windowMs * random.int(1, 2)
    return random.pick([ofClock, now + tokens, ...sinceBefore.slice(-2)])
  }

  /** Long windows come up seldom, else every step would empty the short ones. */
  private oneOf(policies: readonly ModelPolicy[]): ModelPolicy {
    const shortest = policies.reduce((least, policy) => (policy.windowMs < least.windowMs ? policy : least))
    const picked = this.random.pick(policies)
    return picked.windowMs > shortest.windowMs * 100 && this.random.chance(80) ? shortest : picked
  }
}
