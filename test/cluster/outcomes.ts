import type { Counted, Store } from '@rl/core'
import { chargeFor } from '../fault/counts.js'
import { measureLoopDelay } from '../support/loop-delay.js'

/** What became of calls that went on while a cluster was changed. */
export interface Outcomes {
  readonly allowed: number
  readonly failed: number
  /** Anything that is neither allowed nor a failure of the store. */
  readonly others: readonly unknown[]
  /** Milliseconds that the slowest call took, save what the loop was late. */
  readonly slowest: number
}

/** Calls on keys in turn, so many at once, while something is done, and a little longer. */
export async function callWhile(
  store: Store,
  keys: readonly string[],
  act: () => Promise<unknown>,
): Promise<Outcomes> {
  const sums = { allowed: 0, failed: 0, slowest: 0 }
  const others: unknown[] = []
  let ended = false
  const call = async (key: string): Promise<void> => {
    const start = performance.now()
    try {
      const { allowed, source } = (await store.consume([chargeFor(key)], 'ask')) as Counted
      if (allowed && source === 'store') sums.allowed++
      else others.push([allowed, source])
    } catch (error) {
      const { code } = error as { readonly code?: string }
      if (code === 'RL_STORE' || code === 'RL_DEADLINE') sums.failed++
      else others.push(error)
      // A store that is down answers at once: leave the server a turn.
      await new Promise((resolve) => setTimeout(resolve, 1))
    }
    sums.slowest = Math.max(sums.slowest, performance.now() - start)
  }
  const caller = async (_: unknown, index: number): Promise<void> => {
    for (let i = index; !ended; i++) await call(keys[i % keys.length] as string)
  }
  const { maxDelayMs } = await measureLoopDelay(async () => {
    const callers = Array.from({ length: 8 }, caller)
    await act()
    ended = true
    await Promise.all(callers)
  })
  return { ...sums, others, slowest: sums.slowest - maxDelayMs }
}
