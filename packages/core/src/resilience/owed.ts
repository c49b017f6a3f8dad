import { copyOf } from '../model/copy-of.js'
import type { Debt } from '../model/debt.js'
import { identityOf, MAX_POLICIES } from '../model/limit.js'
import { type Policy, spanMs } from '../model/policy.js'

/** What was admitted in one eighth of a policy's window: by the clock, so that no part reaches over a window's end. */
interface Part {
  readonly slot: number
  /** Of the first admission in it: by the monotonic clock, and the number of its receipt. */
  readonly since: number
  readonly firstId: number | string
  cost: number
}

interface Account {
  policy: Policy
  parts: Part[]
}

export interface Admission {
  readonly id: number | string
  readonly cost: number
  /** By the clock that decided. */
  readonly at: number
  /** By the monotonic clock. */
  readonly now: number
}

const SLOTS_A_WINDOW = 8
/** Two windows and what has begun: nothing counts for longer. */
const MAX_PARTS = 2 * SLOTS_A_WINDOW + 1

/** What one key owes a store, summed up by what makes policies share a counter. */
export class Owed {
  admissions = 0
  readonly limiter: string
  readonly key: string
  readonly #accounts = new Map<string, Account>()

  constructor(limiter: string, key: string) {
    this.limiter = limiter
    this.key = copyOf(key)
  }

  /** False: there is no room for one more policy. */
  add(policy: Policy, { id, cost, at, now }: Admission): boolean {
    if (cost === 0) return true
    const name = identityOf(policy)
    const known = this.#accounts.get(name)
    if (known === undefined && this.#accounts.size >= MAX_POLICIES) return false
    const account = known ?? { policy, parts: [] }
    this.#accounts.set(name, account)
    // A limit that was changed meanwhile: the last word counts.
    account.policy = policy
    const { parts } = account
    const slot = slotOf(policy, at)
    const last = parts.at(-1)
    if (last?.slot === slot) last.cost = Math.min(last.cost + cost, Number.MAX_SAFE_INTEGER)
    else parts.push({ slot, since: now, firstId: id, cost })
    if (parts.length > MAX_PARTS) parts.shift()
    return true
  }

  /** Takes back part of an admission. False: it is not here, or no longer. */
  forgive(policy: Policy, { id, cost, at }: Omit<Admission, 'now'>): boolean {
    const parts = this.#accounts.get(identityOf(policy))?.parts ?? []
    const slot = slotOf(policy, at)
    // What was admitted before the first of a part was taken with a part before it.
    const part = parts.find((one) => one.slot === slot && one.firstId <= id && one.cost >= cost)
    if (part === undefined) return false
    part.cost -= cost
    return true
  }

  debtAt(now: number): Debt {
    const accounts = [...this.#accounts.values()]
    return {
      limiter: this.limiter,
      key: this.key,
      policies: accounts.map(({ policy }) => policy),
      parts: accounts.map(({ parts }) =>
        parts.flatMap(({ since, cost }) => (cost > 0 ? { agoMs: Math.max(0, now - since), cost } : [])),
      ),
    }
  }

  clear(): void {
    this.#accounts.clear()
  }
}

function slotOf(policy: Policy, at: number): number {
  return Math.floor((at * SLOTS_A_WINDOW) / Math.max(1, spanMs(policy)))
}
