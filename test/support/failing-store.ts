import { type Charge, type Decision, type Mode, memoryStore, RateLimitError, type Store } from '@rl/core'

/** A store that works, fails or says nothing, as the test wants it at the moment, and keeps what it was asked. */
export interface FailingStore extends Store {
  state: 'works' | 'fails' | 'silent'
  isAvailable: boolean
  /** The modes of what it was asked to decide, `settle` and `reset`. */
  readonly calls: string[]
  readonly charges: (readonly Charge[])[]
  /** Answers the oldest call that was met with silence. */
  answer(how: 'works' | 'fails'): Promise<void>
}

/** What a store without an answer rejects with. */
export const NO_ANSWER = new RateLimitError('RL_DEADLINE', 'store: Redis gave no answer within 50 ms')

export function failingStore(inner: Store = memoryStore()): FailingStore {
  const waiting: ((how: 'works' | 'fails') => void)[] = []
  const call = <T>(name: string, act: () => T): Promise<T> => {
    store.calls.push(name)
    const answer = (how: 'works' | 'fails') =>
      how === 'works' ? Promise.resolve().then(act) : Promise.reject(NO_ANSWER)
    if (store.state !== 'silent') return answer(store.state)
    return new Promise<'works' | 'fails'>((resolve) => waiting.push(resolve)).then(answer)
  }
  const store: FailingStore = {
    state: 'works',
    isAvailable: true,
    calls: [],
    charges: [],
    available: () => store.isAvailable,
    consume(charges: readonly Charge[], mode: Mode): Promise<Decision> {
      store.charges.push(charges)
      return call(mode, () => inner.consume(charges, mode)).then((decision) => decision)
    },
    settle: (receipt, costs) => call('settle', () => inner.settle(receipt, costs)).then(() => undefined),
    reset: (subject) => call('reset', () => inner.reset(subject)).then(() => undefined),
    close: () => inner.close(),
    async answer(how) {
      waiting.shift()?.(how)
      // A few turns, until whoever asked has seen it.
      for (let turn = 0; turn < 10; turn++) await Promise.resolve()
    },
  }
  return store
}
