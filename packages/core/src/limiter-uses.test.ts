import { describe, expect, it, vi } from 'vitest'
import { thrown } from '../../../test/support/thrown.js'
import { createLimiter } from './limiter.js'
import { memoryStore } from './memory/memory-store.js'
import { fixedWindow } from './model/policy.js'
import type { Store } from './model/store.js'

const five = fixedWindow({ limit: 5, window: '1m' })

describe('peek', () => {
  it('is the answer that consume would give, and writes nothing', () => {
    const store = memoryStore({ clock: () => 0 })
    const limiter = createLimiter({ limit: five, store })
    const peeked = limiter.peek('a', { cost: 2 })
    expect(store.size).toBe(0)
    expect(peeked).toMatchObject({ allowed: true, cost: 2, remaining: 5, receipt: null })
    expect(limiter.peek('a', { cost: 6 })).toMatchObject({ allowed: false, retryAfterMs: null })
  })
})

describe('close', () => {
  const spied = () => {
    const store = memoryStore()
    return { store, close: vi.spyOn(store, 'close') }
  }

  it('leaves the store that was passed in open', async () => {
    const { store, close } = spied()
    await createLimiter({ limit: five, store }).close()
    expect(close).not.toHaveBeenCalled()
  })

  it('row 79, B79: may be called twice', async () => {
    const limiter = createLimiter({ limit: five })
    await limiter.consume('a')
    await limiter.close()
    await limiter.close()
    expect(limiter.peek('a')).toMatchObject({ remaining: 5 })
  })

  it('frees the name once, however often it is called', async () => {
    const store = memoryStore()
    const [first] = [1, 2].map(() => createLimiter({ limit: five, name: 'login', store }))
    await first?.close()
    await first?.close()
    expect(thrown(() => createLimiter({ limit: '9/1m', name: 'login', store }))).toMatchObject({
      code: 'RL_CONFIG',
    })
  })
})

describe('a store that answers later', () => {
  const later = () => {
    const inner = memoryStore({ clock: () => 0 })
    const store: Store = {
      consume: async (charges, mode) => inner.consume(charges, mode),
      settle: async (receipt, costs) => inner.settle(receipt, costs),
      reset: async (subject) => inner.reset(subject),
      close: async () => inner.close(),
    }
    return createLimiter({ limit: { tokens: five }, store })
  }

  it('makes every method answer with a promise', async () => {
    const limiter = later()
    const decision = await limiter.consume('a', { cost: 4 })
    await limiter.settle(decision, 2)
    await expect(limiter.peek('a')).resolves.toMatchObject({ remaining: 3 })
    await limiter.reset('a')
    await expect(limiter.consume('a')).resolves.toMatchObject({ remaining: 4 })
  })

  it('settles what it was told, though the record changes before it answers', async () => {
    const limiter = later()
    const actual = { tokens: 3 }
    const settled = limiter.settle(await limiter.consume('a', { cost: 4 }), actual)
    actual.tokens = 0
    await settled
    await expect(limiter.peek('a')).resolves.toMatchObject({ remaining: 2 })
  })
})
