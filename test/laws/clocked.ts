import { type Counted, createLimiter, type Limit, memoryStore } from '@rl/core'

/** A limiter on the memory store, with the clock in the caller's hand. */
export interface Clocked {
  hit(now: number, cost?: number, key?: string): Counted
  /** So many hits of cost 1 at one moment. */
  hits(count: number, now: number): readonly Counted[]
  peek(now: number, cost?: number): Counted
  settle(now: number, decision: Counted, actual: number): void
}

export function clocked(limit: Limit): Clocked {
  let time = 0
  const limiter = createLimiter({ limit, store: memoryStore({ clock: () => time }) })
  const hit: Clocked['hit'] = (now, cost = 1, key = 'anna') => {
    time = now
    return limiter.consume(key, { cost }) as Counted
  }
  return {
    hit,
    hits: (count, now) => Array.from({ length: count }, () => hit(now)),
    peek(now, cost = 1) {
      time = now
      return limiter.peek('anna', { cost }) as Counted
    },
    settle(now, decision, actual) {
      time = now
      void limiter.settle(decision, actual)
    },
  }
}

/** How many of the decisions are yes. */
export function passed(decisions: readonly Counted[]): number {
  return decisions.filter(({ allowed }) => allowed).length
}
