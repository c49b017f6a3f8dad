import type { ModelPolicy } from './meter.js'
import type { Random } from './random.js'

const SECOND = 1000
const MINUTE = 60 * SECOND
const MONTH = 30 * 24 * 60 * MINUTE

/** Limits and windows where rounding, large numbers or long waits show. */
const RATES = [
  [3, SECOND],
  [7, MINUTE],
  [700_000, SECOND],
  [1, MONTH],
  [9, 90 * SECOND],
  [1, SECOND],
  [5, 10 * SECOND],
  [100, MINUTE],
] as const

/** The policies of one limiter through one sequence: who is on the list now, and who may come. */
export class PolicyList {
  private readonly pool: readonly ModelPolicy[]
  private readonly spares: readonly ModelPolicy[]
  private list: readonly ModelPolicy[]

  constructor(private readonly random: Random) {
    this.pool = Array.from({ length: random.int(3, 5) }, (_, i) => policy(random, `p${i}`))
    this.spares = random
      .shuffled(this.pool)
      .slice(0, 2)
      .map(({ name }) => policy(random, name))
    this.list = random.shuffled(this.pool).slice(0, random.int(1, Math.min(4, this.pool.length)))
  }

  /** The list for the next call: mostly the last one, at times a changed one, for once or from now on. */
  next(): readonly ModelPolicy[] {
    if (!this.random.chance(14)) return this.list
    const changed = this.changed()
    if (this.random.chance(50)) this.list = changed
    return changed
  }

  private changed(): readonly ModelPolicy[] {
    const victim = this.random.pick(this.list)
    const others = this.list.filter((policy) => policy !== victim)
    const replaced = (next: ModelPolicy): ModelPolicy[] =>
      this.list.map((old) => (old === victim ? next : old))
    switch (
      this.random.weighted([
        [5, 'limit'],
        [2, 'drop'],
        [3, 'add'],
        [1, 'kind'],
        [1, 'order'],
      ] as const)
    ) {
      case 'limit':
        return replaced(this.withOtherLimit(victim))
      case 'drop':
        return others.length > 0 ? others : this.list
      case 'add':
        return this.withOneMore()
      case 'kind':
        return replaced(this.spares.find(({ name }) => name === victim.name) ?? victim)
      case 'order':
        return this.random.shuffled(this.list)
    }
  }

  private withOtherLimit(policy: ModelPolicy): ModelPolicy {
    const known = [...this.pool, ...this.spares]
    const twin = known.find(({ name, windowMs }) => name === policy.name && windowMs === policy.windowMs)
    const usual = twin?.limit ?? policy.limit
    const limit = this.random.pick([1, usual - 1, usual, usual + 1, Math.ceil(usual / 2), usual * 2])
    const changed = { ...policy, limit: Math.max(1, limit) }
    return changed.kind === 'token-bucket' && this.random.chance(50)
      ? { ...changed, refill: changed.limit }
      : changed
  }

  private withOneMore(): readonly ModelPolicy[] {
    const absent = this.pool.filter(({ name }) => this.list.every((policy) => policy.name !== name))
    if (absent.length === 0 || this.list.length === 4) return this.list
    const at = this.random.int(0, this.list.length)
    return [...this.list.slice(0, at), this.random.pick(absent), ...this.list.slice(at)]
  }
}

function policy(random: Random, name: string): ModelPolicy {
  const [limit, windowMs] = random.pick(RATES)
  switch (random.pick(['fixed-window', 'sliding-window', 'sliding-log', 'token-bucket'] as const)) {
    case 'fixed-window':
      return { kind: 'fixed-window', name, limit, windowMs, align: random.pick(['epoch', 'first-hit']) }
    case 'sliding-window':
      return { kind: 'sliding-window', name, limit, windowMs }
    case 'sliding-log':
      return { kind: 'sliding-log', name, limit, windowMs }
    case 'token-bucket':
      return {
        kind: 'token-bucket',
        name,
        limit,
        windowMs,
        refill: random.pick([limit, limit, limit + 1, 1, 2000]),
      }
  }
}
