import type { Store } from '@rl/core'
import { redisStore, type ScriptClient } from '@rl/core/redis'
import { describe, expect, it } from 'vitest'
import { keyPrefix } from '../support/keys.js'
import { CLIENTS, type Connect } from '../support/redis-clients.js'
import { useClient, useProxy, useServer } from '../support/use-redis.js'
import { waitUntil } from '../support/wait-until.js'
import { chargeFor, outcomesOf, pause, usedOf } from './counts.js'

const DEADLINE = 50
const server = useServer()

/** A store that knows the server's time. */
async function knowingStore(client: ScriptClient, prefix: string): Promise<Store> {
  const store = redisStore({ client, prefix, deadlineMs: DEADLINE })
  const peek = async () => (await store.consume([chargeFor('other')], 'peek')).counted
  await waitUntil(peek, { what: 'the store has had an answer' })
  return store
}

function ask(store: Store, times: number): readonly Promise<unknown>[] {
  return Array.from({ length: times }, async () => store.consume([chargeFor('k')], 'ask'))
}

describe.each(Object.entries<Connect>(CLIENTS))(
  '200 calls with a deadline of 50 ms, over %s',
  (_, connect) => {
    const client = useClient(server, connect)

    it.each([60, 200, 400])('none is charged by a server that was frozen for %d ms', async (ms) => {
      const prefix = keyPrefix()
      const store = await knowingStore(client(), prefix)
      server().freeze()
      const outcomes = outcomesOf(ask(store, 200))
      await pause(ms)
      server().thaw()
      expect(await outcomes).toEqual({ allowed: 0, failed: { RL_DEADLINE: 200 } })
      // Behind them on the same connection.
      await client().evalBuffer('return 1', 0)
      expect(await usedOf(client(), prefix, 'k')).toBe(0)
    })

    it('none is charged by a server that was frozen before its time was known', async () => {
      const prefix = keyPrefix()
      const store = redisStore({ client: client(), prefix, deadlineMs: DEADLINE })
      server().freeze()
      const outcomes = outcomesOf(ask(store, 200))
      await pause(100)
      server().thaw()
      expect(await outcomes).toEqual({ allowed: 0, failed: { RL_DEADLINE: 200 } })
      await client().evalBuffer('return 1', 0)
      expect(await usedOf(client(), prefix, 'k')).toBe(0)
    })

    it.each([10, 35, 45, 48, 50, 52, 55, 70])(
      'the last charge is no later than the last deadline, after a freeze of %d ms',
      async (ms) => {
        const prefix = keyPrefix()
        const store = await knowingStore(client(), prefix)
        server().freeze()
        const outcomes = outcomesOf(ask(store, 200))
        const sentBy = Date.now()
        await pause(ms)
        server().thaw()
        const { allowed, failed } = await outcomes
        await client().evalBuffer('return 1', 0)
        const used = await usedOf(client(), prefix, 'k')
        expect(used).toBeGreaterThanOrEqual(allowed)
        expect(used).toBeLessThanOrEqual(allowed + (failed.RL_DEADLINE ?? 0))
        expect(await newestCharge(prefix)).toBeLessThanOrEqual(sentBy + DEADLINE)
      },
    )
  },
)

/** By the server's clock, which is ours; 0 when nothing was charged. */
async function newestCharge(prefix: string): Promise<number> {
  const script = "local v = redis.call('GET', KEYS[1]) return v and select(2, cmsgpack.unpack(v)) or 0"
  return Number(await server().command('EVAL', script, 1, `${prefix}:fault:{k}`))
}

describe.each(Object.entries<Connect>(CLIENTS))(
  '200 calls that are held on their way, over %s',
  (_, connect) => {
    const proxy = useProxy(server)
    const client = useClient(proxy, connect)

    it('none is charged when they arrive after their deadline', async () => {
      const prefix = keyPrefix()
      const store = await knowingStore(client(), prefix)
      proxy().stall()
      expect(await outcomesOf(ask(store, 200))).toEqual({ allowed: 0, failed: { RL_DEADLINE: 200 } })
      proxy().pass()
      await client().evalBuffer('return 1', 0)
      expect(await usedOf(client(), prefix, 'k')).toBe(0)
    })
  },
)
