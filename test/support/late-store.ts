import type { Store } from '@rl/core'

/** The store, but what it decides is known only when the test says so. */
export interface LateStore extends Store {
  /** Lets every decision that waits be known. */
  release(): void
}

export function lateStore(inner: Store): LateStore {
  const waiting: (() => void)[] = []
  return {
    consume(charges, mode) {
      const decision = inner.consume(charges, mode)
      return new Promise((resolve) => waiting.push(() => resolve(decision)))
    },
    settle: (receipt, costs) => inner.settle(receipt, costs),
    reset: (subject) => inner.reset(subject),
    close: () => inner.close(),
    release() {
      for (const go of waiting.splice(0)) go()
    },
  }
}
