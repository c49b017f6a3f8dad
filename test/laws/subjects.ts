import { type MemoryStore, type Mode, memoryStore, type Policy, type PolicyResult } from '@rl/core'
import { stepOf } from '../../packages/core/src/algorithms/index.js'
import { FRESH, NEVER, Row, type Step } from '../../packages/core/src/algorithms/step.js'

export type Standing = Pick<
  PolicyResult,
  'allowed' | 'limit' | 'remaining' | 'resetAfterMs' | 'nextAfterMs' | 'retryAfterMs'
>

/** Something that counts one key under one policy, held to the laws. */
export interface Subject {
  ask(now: number, cost: number): Standing
  peek(now: number, cost: number): Standing
  force(now: number, cost: number): Standing
  /** Corrects by `more` what was charged at `at`; less than 0 gives back. */
  settle(now: number, at: number, more: number): void
}

export const SUBJECTS = {
  steps: (policy: Policy): Subject => new StepSubject(policy),
  'memory store': (policy: Policy): Subject => new StoreSubject(policy),
} as const

/** The pure steps and a single row; the row is written as the port says. */
class StepSubject implements Subject {
  private readonly step: Step
  private row = new Row()

  constructor(private readonly policy: Policy) {
    this.step = stepOf(policy)
  }

  ask(now: number, cost: number): Standing {
    const [row, wentBack] = this.advanced(now)
    const wait = this.wait(row, now, cost)
    const charged = wait === 0 ? cost : 0
    if (charged > 0 || wentBack) this.charge(row, now, charged)
    return this.standing(row, now, wait)
  }

  peek(now: number, cost: number): Standing {
    const [row] = this.advanced(now)
    return this.standing(row, now, this.wait(row, now, cost))
  }

  force(now: number, cost: number): Standing {
    const [row, wentBack] = this.advanced(now)
    if (cost > 0 || wentBack) this.charge(row, now, cost)
    return this.standing(row, now, 0)
  }

  settle(now: number, at: number, more: number): void {
    if (more < 0 && this.row.a === FRESH) return
    const [row] = this.advanced(now)
    if (more > 0) this.step.take(this.policy, row, now, more)
    else this.step.giveBack(this.policy, row, at, -more)
    this.row = row
  }

  private advanced(now: number): readonly [Row, boolean] {
    const row = Object.assign(new Row(), this.row)
    return [row, this.step.advance(this.policy, row, now)]
  }

  private wait(row: Row, now: number, cost: number): number {
    return cost === 0 ? 0 : this.step.wait(this.policy, row, now, cost)
  }

  private charge(row: Row, now: number, cost: number): void {
    this.step.take(this.policy, row, now, cost)
    this.row = row
  }

  private standing(row: Row, now: number, wait: number): Standing {
    const { limit } = this.policy
    const remaining = this.step.remaining(this.policy, row, now)
    const isFull = remaining === limit && limit > 0
    const next = isFull ? 0 : this.wait(row, now, remaining + 1)
    return {
      allowed: wait === 0,
      limit,
      remaining,
      resetAfterMs: this.step.reset(this.policy, row, now),
      nextAfterMs: next === NEVER ? null : next,
      retryAfterMs: wait === NEVER ? null : wait,
    }
  }
}

class StoreSubject implements Subject {
  private now = 0
  private settles = 0
  private readonly store = memoryStore({ clock: () => this.now, maxKeys: 2 })
  private readonly policies: readonly [Policy]

  private readonly name: string

  constructor(policy: Policy) {
    this.policies = [policy]
    this.name = nameOf(this.store, this.policies)
  }

  ask(now: number, cost: number): Standing {
    return this.consume(now, cost, 'ask')
  }

  peek(now: number, cost: number): Standing {
    return this.consume(now, cost, 'peek')
  }

  force(now: number, cost: number): Standing {
    return this.consume(now, cost, 'force')
  }

  settle(now: number, at: number, more: number): void {
    const charged = Math.max(0, -more)
    const charge = { limiter: 'api', key: 'anna', policies: this.policies, costs: charged }
    this.now = now
    this.store.settle(
      { store: this.name, id: `law ${this.settles++}`, at, charges: [charge] },
      charged + more,
    )
  }

  private consume(now: number, costs: number, mode: Mode): Standing {
    this.now = now
    const charge = { limiter: 'api', key: 'anna', policies: this.policies, costs }
    const [result] = this.store.consume([charge], mode).policies
    if (result === undefined) throw new RangeError('a result for the policy')
    const { allowed, limit, remaining, resetAfterMs, nextAfterMs, retryAfterMs } = result
    return { allowed, limit, remaining, resetAfterMs, nextAfterMs, retryAfterMs }
  }
}

function nameOf(store: MemoryStore, policies: readonly Policy[]): string {
  const { receipt } = store.consume([{ limiter: 'other', key: 'bert', policies, costs: 0 }], 'ask')
  if (receipt === null) throw new RangeError('a cost of 0 always passes')
  return receipt.store
}
