import { memoryStore, type Store } from '@rl/core'
import { describeStore } from './store.js'

describeStore('memoryStore', (clock) => {
  const store = memoryStore({ clock: clock.now })
  return { store, keys: () => store.size, close: () => store.close() }
})

describeStore('a wrapper that answers later', (clock) => {
  const inner = memoryStore({ clock: clock.now })
  const store: Store = {
    consume: async (charges, mode) => inner.consume(charges, mode),
    settle: async (receipt, costs) => inner.settle(receipt, costs),
    reset: async (subject) => inner.reset(subject),
    close: async () => inner.close(),
  }
  return { store, keys: () => inner.size, close: () => store.close() }
})
