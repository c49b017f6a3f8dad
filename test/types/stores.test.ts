import {
  type Counted,
  createLimiter,
  type Decision,
  type MaybePromise,
  memoryStore,
  type Store,
} from '@rl/core'
import { redisStore } from '@rl/core/redis'
import { rateLimit as express } from '@rl/express'
import { rateLimit as fastify } from '@rl/fastify'
import { rateLimit as hono } from '@rl/hono'
import { rateLimit as koa } from '@rl/koa'
import type { FastifyInstance } from 'fastify'
import { Redis } from 'ioredis'
import { describe, expect, expectTypeOf, it } from 'vitest'

/** A wrapper is one small function. */
function counting(store: Store, told: (decision: Decision) => void): Store {
  const consume: Store['consume'] = async (charges, mode) => {
    const decision = await store.consume(charges, mode)
    told(decision)
    return decision
  }
  return { ...pass(store), consume }
}

function pass(store: Store): Store {
  return {
    consume: (charges, mode) => store.consume(charges, mode),
    settle: (receipt, costs) => store.settle(receipt, costs),
    reset: (subject) => store.reset(subject),
    close: () => store.close(),
  }
}

describe('a store', () => {
  it('may be a wrapper of a few lines', async () => {
    const seen: boolean[] = []
    const store = counting(memoryStore(), ({ allowed }) => seen.push(allowed))
    const limiter = createLimiter({ limit: '1/1h', store })
    await limiter.consume('a')
    await limiter.consume('a')
    expect(seen).toEqual([true, false])
  })

  it('answers at once or later', () => {
    expectTypeOf<ReturnType<Store['consume']>>().toEqualTypeOf<MaybePromise<Decision>>()
    expectTypeOf<ReturnType<Store['settle']>>().toEqualTypeOf<MaybePromise<void>>()
  })

  it('in memory answers at once, with numbers', () => {
    const store = memoryStore()
    expectTypeOf(store).toExtend<Store>()
    expectTypeOf(store.consume).returns.toEqualTypeOf<Counted>()
    expectTypeOf(store.reset).returns.toBeVoid()
    expectTypeOf(store.size).toBeNumber()
  })

  it('B88: of any kind is one type, for a limiter and for every framework', () => {
    const uses = (client: Redis, app: FastifyInstance) =>
      [memoryStore(), redisStore({ client }), pass(memoryStore())].map((store) => [
        createLimiter({ limit: '5/1m', store }),
        express({ limit: '5/1m', store }),
        koa({ limit: '5/1m', store }),
        hono({ limit: '5/1m', store }),
        app.register(fastify, { limit: '5/1m', store }),
      ])
    expectTypeOf(uses).toBeFunction()
  })

  it('needs each of its methods', () => {
    const wrong = (store: Store) => {
      const { consume, settle, reset } = store
      // @ts-expect-error no close
      createLimiter({ limit: '5/1m', store: { consume, settle, reset } })
      // @ts-expect-error no store
      createLimiter({ limit: '5/1m', store: {} })
      // @ts-expect-error a client is no store
      createLimiter({ limit: '5/1m', store: new Redis() })
    }
    expectTypeOf(wrong).toBeFunction()
  })

  it('has three modes', () => {
    const wrong = (store: Store) => {
      // @ts-expect-error no such mode
      void store.consume([], 'take')
    }
    expectTypeOf<Parameters<Store['consume']>[1]>().toEqualTypeOf<'ask' | 'peek' | 'force'>()
    expectTypeOf(wrong).toBeFunction()
  })
})

describe('a memory store', () => {
  it('takes its options and no other', () => {
    const wrong = () => {
      // @ts-expect-error B85: a time to live
      memoryStore({ ttl: 1000 })
      // @ts-expect-error a time in place of a clock
      memoryStore({ clock: 0 })
    }
    expectTypeOf(memoryStore).parameter(0).toExtend<{ readonly maxKeys?: number | undefined } | undefined>()
    expectTypeOf(wrong).toBeFunction()
  })
})
