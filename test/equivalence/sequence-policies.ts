import type { ModelPolicy } from './meter.js'
import type { Random } from './random.js'

const SECOND = 1000
const MINUTE = 60 * SECOND
const MONTH = 30 * 24 * 60 * MINUTE

/** What policies a sequence has: the kinds, and pairs of limit and window. */
export interface Workload {
  readonly families: readonly Family[]
  readonly rates: readonly (readonly [number, number])[]
  /** False: nothing is charged that does not pass. At the edge of 2^53 there is no room to count debts in full. */
  readonly debts: boolean
  /** Percent of steps that correct a call before. @default 14 */
  readonly settles?: number
}

/** Limits and windows where rounding, large numbers or long waits show. */
export const RATES: Workload['rates'] = [
  [3, SECOND],
  [7, MINUTE],
  [700_000, SECOND],
  [1, MONTH],
  [9, 90 * SECOND],
  [1, SECOND],
  [5, 10 * SECOND],
  [100, MINUTE],
]

/** The largest that are exact in every kind, twice the limit included, over spans from a second to a century. */
export const EDGE_RATES: Workload['rates'] = [
  [4_503_599_627_370, SECOND],
  [4_503_599_627, 1000 * SECOND],
  [1_737_463, MONTH],
  [1427, 36_525 * 24 * 60 * MINUTE],
]

/** The kinds of policy, told apart by all that makes them count differently. */
export const FAMILIES = [
  'fixed-window epoch',
  'fixed-window first-hit',
  'sliding-window',
  'sliding-log',
  'token-bucket',
] as const

export type Family = (typeof FAMILIES)[number]

/** Percent of limits that are 0: such a policy refuses everything, and so hides the others. */
const NO_LIMIT = 2

/** The policies of one limiter through one sequence: who is on the list now, and who may come. */
export class PolicyList {
  private readonly pool: readonly ModelPolicy[]
  private readonly spares: readonly ModelPolicy[]
  private list: readonly ModelPolicy[]

  constructor(
    private readonly random: Random,
    workload: Workload,
  ) {
    this.pool = Array.from({ length: random.int(3, 5) }, (_, i) => policy(random, workload, `p${i}`))
    this.spares = random
      .shuffled(this.pool)
      .slice(0, 2)
      .map(({ name }) => policy(random, workload, name))
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
    const near = this.random.pick([1, usual - 1, usual, usual + 1, Math.ceil(usual / 2), usual * 2])
    const limit = this.random.chance(NO_LIMIT) ? 0 : Math.max(1, near)
    const changed = { ...policy, limit }
    return changed.kind === 'token-bucket' && this.random.chance(50)
      ? { ...changed, refill: Math.max(1, limit) }
      : changed
  }

  private withOneMore(): readonly ModelPolicy[] {
    const absent = this.pool.filter(({ name }) => this.list.every((policy) => policy.name !== name))
    if (absent.length === 0 || this.list.length === 4) return this.list
    const at = this.random.int(0, this.list.length)
    return [...this.list.slice(0, at), this.random.pick(absent), ...this.list.slice(at)]
  }
}

function policy(random: Random, { families, rates }: Workload, name: string): ModelPolicy {
  const [usual, windowMs] = random.pick(rates)
  const limit = random.chance(NO_LIMIT) ? 0 : usual
  const family = random.pick(families)
  switch (family) {
    case 'fixed-window epoch':
      return { kind: 'fixed-window', name, limit, windowMs, align: 'epoch' }
    case 'fixed-window first-hit':
      return { kind: 'fixed-window', name, limit, windowMs, align: 'first-hit' }
    case 'sliding-window':
    case 'sliding-log':
      return { kind: family, name, limit, windowMs }
    case 'token-bucket': {
      const refill = Math.max(1, random.pick([limit, limit, limit + 1, 1, 2000]))
      return { kind: 'token-bucket', name, limit, windowMs, refill }
    }
  }
}
