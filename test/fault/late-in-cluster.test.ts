import { redisStore, type ScriptClient } from '@rl/core/redis'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { slotOf } from '../../packages/core/src/redis/subject-key.js'
import { createClockShim } from '../support/clock-shim.js'
import { keyPrefix } from '../support/keys.js'
import { CLUSTER_CLIENTS, type Connect, type OpenClient } from '../support/redis-clients.js'
import { type RedisCluster, startCluster } from '../support/redis-cluster.js'
import { waitUntil } from '../support/wait-until.js'
import { chargeFor, outcomesOf, pause, usedOf } from './counts.js'

/** How far the clocks of the three primaries are from ours. */
const OFFSETS = [0, 200, -200]

let cluster: RedisCluster
/** For each primary a few keys that it has. */
let keys: readonly (readonly string[])[]
beforeAll(async () => {
  const shims = await Promise.all(OFFSETS.map(() => createClockShim()))
  for (const [i, shim] of shims.entries()) shim.step(OFFSETS[i] as number)
  cluster = await startCluster({ preload: (index) => shims[index]! })
  const all = Array.from({ length: 60 }, (_, i) => `k${i}`)
  const owners = await Promise.all(all.map((key) => cluster.primaryOf(slotOf(key))))
  keys = cluster.nodes.map((node) => all.filter((_, i) => owners[i] === node))
})
afterAll(() => cluster?.stop())

describe.each(Object.entries<Connect>(CLUSTER_CLIENTS))('a frozen primary, over %s', (_, connect) => {
  let open: OpenClient
  beforeAll(async () => {
    open = await connect([cluster.nodes[0]!.port])
    // A connection to each node.
    await Promise.all(keys.map((some) => usedOf(open.client, keyPrefix(), some[0] as string)))
  })
  afterAll(() => open?.close())

  // Later than the deadline, and just as late as the clock of another primary would allow.
  it.each([60, 225, 425])(
    'charges nothing after the deadline, when it goes on after %d ms, whoever was heard before',
    async (ms) => {
      for (const frozen of [0, 1, 2]) {
        const prefix = keyPrefix()
        const store = redisStore({ client: open.client, prefix, deadlineMs: 50 })
        const others = [0, 1, 2].filter((index) => index !== frozen).map((index) => keys[index]![0] as string)
        for (const key of others) {
          const peek = async () => (await store.consume([chargeFor(key)], 'peek')).counted
          await waitUntil(peek, { what: 'the others have answered' })
        }
        const asked = keys[frozen] as readonly string[]
        cluster.nodes[frozen]!.freeze()
        const outcomes = outcomesOf(asked.map(async (key) => store.consume([chargeFor(key)], 'ask')))
        await pause(ms)
        cluster.nodes[frozen]!.thaw()
        expect(await outcomes).toEqual({ allowed: 0, failed: { RL_DEADLINE: asked.length } })
        const used = await Promise.all(asked.map((key) => usedOf(open.client, prefix, key)))
        expect(used.filter((count) => count > 0)).toEqual([])
      }
    },
  )

  it('each primary is asked once for its time, and not once for each slot', async () => {
    const sent: string[] = []
    const counting = {
      ...open.client,
      isCluster: true,
      ...(open.client.slots && { slots: open.client.slots }),
      evalshaBuffer(...call: Parameters<ScriptClient['evalshaBuffer']>) {
        sent.push(call[0])
        return open.client.evalshaBuffer(...call)
      },
      evalBuffer: (...call: Parameters<ScriptClient['evalBuffer']>) => open.client.evalBuffer(...call),
      del: (...all: string[]) => open.client.del(...all),
    }
    const store = redisStore({ client: counting, prefix: keyPrefix(), deadlineMs: 20_000 })
    const all = Array.from({ length: 300 }, (_, i) => `user${i}`)
    for (const key of all) await store.consume([chargeFor(key)], 'ask')
    expect(sent).toHaveLength(303)
  })
})
