/** Repeatable random choices: the same seed makes the same choices on every machine (xorshift, 32 bits). */
export class Random {
  private state: number

  constructor(seed: number) {
    this.state = Math.imul(seed ^ 0x5bd1e995, 0x9e3779b1) | 0 || 1
    for (let i = 0; i < 8; i++) this.bits()
  }

  /** A whole number from `low` to `high`, both included. */
  int(low: number, high: number): number {
    return low + Math.floor((this.bits() / 2 ** 32) * (high - low + 1))
  }

  chance(percent: number): boolean {
    return this.int(1, 100) <= percent
  }

  pick<T>(choices: readonly T[]): T {
    const choice = choices[this.int(0, choices.length - 1)]
    if (choice === undefined) throw new RangeError('nothing to pick from')
    return choice
  }

  /** Picks one of pairs of weight and choice. */
  weighted<T>(choices: readonly (readonly [number, T])[]): T {
    let left = this.int(
      1,
      choices.reduce((sum, [weight]) => sum + weight, 0),
    )
    for (const [weight, choice] of choices) {
      left -= weight
      if (left <= 0) return choice
    }
    throw new RangeError('nothing to pick from')
  }

  shuffled<T>(items: readonly T[]): T[] {
    const rest = [...items]
    const order: T[] = []
    while (rest.length > 0) order.push(...rest.splice(this.int(0, rest.length - 1), 1))
    return order
  }

  private bits(): number {
    this.state ^= this.state << 13
    this.state ^= this.state >>> 17
    this.state ^= this.state << 5
    return this.state >>> 0
  }
}
