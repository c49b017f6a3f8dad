import { setTimeout as sleep } from 'node:timers/promises'
import { redisStore } from '@rl/core/redis'
import { beforeEach, describe, expect, it } from 'vitest'
import { type ClockShim, createClockShim } from '../support/clock-shim.js'
import { keyPrefix } from '../support/keys.js'
import { useClient, useServer } from '../support/use-redis.js'
import { waitUntil } from '../support/wait-until.js'
import { chargeFor, outcomesOf, pause, usedOf } from './counts.js'

const HOUR = 3_600_000
let shim: ClockShim
const server = useServer(async () => {
  shim = await createClockShim()
  return { preload: shim }
})
const client = useClient(server)
beforeEach(() => shim.reset())

describe.each([HOUR, -HOUR, 10_000, -10_000])('the server’s clock is stepped by %d ms', (step) => {
  it('while it is frozen: none of 200 calls is charged after its deadline', async () => {
    const prefix = keyPrefix()
    const store = redisStore({ client: client(), prefix, deadlineMs: 50 })
    const peek = async () => (await store.consume([chargeFor('other')], 'peek')).counted
    await waitUntil(peek, { what: 'the store has had an answer' })
    server().freeze()
    const calls = Array.from({ length: 200 }, async () => store.consume([chargeFor('k')], 'ask'))
    const outcomes = outcomesOf(calls)
    shim.step(step)
    await pause(120)
    server().thaw()
    expect(await outcomes).toEqual({ allowed: 0, failed: { RL_DEADLINE: 200 } })
    await client().evalBuffer('return 1', 0)
    expect(await usedOf(client(), prefix, 'k')).toBe(0)
  })

  it('while it runs: every call is answered, and charged once', async () => {
    const prefix = keyPrefix()
    const store = redisStore({ client: client(), prefix, deadlineMs: 20_000 })
    const calls: Promise<unknown>[] = []
    for (let i = 0; i < 200; i++) {
      if (i === 100) shim.step(step)
      calls.push(Promise.resolve(store.consume([chargeFor('k')], 'ask')))
      if (i % 10 === 0) await sleep(1)
    }
    expect(await outcomesOf(calls)).toEqual({ allowed: 200, failed: {} })
    expect(await usedOf(client(), prefix, 'k')).toBe(200)
  })
})
