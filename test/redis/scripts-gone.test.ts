import { type Counted, createLimiter, fixedWindow, type Limiter } from '@rl/core'
import { redisStore, type ScriptClient } from '@rl/core/redis'
import { beforeEach, describe, expect, it } from 'vitest'
import { keyPrefix } from '../support/keys.js'
import { CLIENTS, type Connect } from '../support/redis-clients.js'
import { useClient, useServer } from '../support/use-redis.js'
import { waitUntil } from '../support/wait-until.js'

const server = useServer({ args: ['--appendonly', 'yes', '--appendfsync', 'always'] })

describe.each(Object.entries<Connect>(CLIENTS))('a server that lost the scripts, over %s', (_, connect) => {
  const client = useClient(server, connect)
  let limiter: Limiter
  beforeEach(() => {
    limiter = limiterOf(client(), 5)
  })

  it('B49: answers all the same after SCRIPT FLUSH, with one round trip more', async () => {
    await ask(limiter, 2)
    await server().command('SCRIPT', 'FLUSH')
    await server().resetStats()
    expect(await ask(limiter, 1)).toEqual([2])
    expect(await calls()).toEqual({ evalsha: 1, eval: 1 })
    expect(await ask(limiter, 1)).toEqual([1])
    expect(await calls()).toEqual({ evalsha: 2, eval: 1 })
  })

  it('is sent the text once by many calls that are under way', async () => {
    const many = limiterOf(client(), 200)
    await ask(many, 1)
    await server().command('SCRIPT', 'FLUSH')
    await server().resetStats()
    const remaining = await Promise.all(Array.from({ length: 199 }, () => ask(many, 1)))
    expect(remaining.flat().sort((a, b) => a - b)).toEqual(Array.from({ length: 199 }, (_, i) => i))
    expect((await calls()).eval).toBe(1)
  })

  it('settles all the same', async () => {
    const decision = await limiter.consume('k')
    await server().command('SCRIPT', 'FLUSH')
    await limiter.settle(decision, 3)
    expect(((await limiter.peek('k')) as Counted).used).toBe(3)
  })

  it('B49: goes on after a restart, with the counts that it kept', async () => {
    await ask(limiter, 2)
    await server().restart()
    await waitUntil(() => limiter.store.available?.(), { what: 'the client is connected again' })
    expect(await ask(limiter, 1)).toEqual([2])
  })

  it('goes on after 600 scripts of others', async () => {
    await ask(limiter, 2)
    for (let i = 0; i < 600; i++) await client().evalBuffer(`return ${i} -- ${keyPrefix()}`, 0)
    expect(await ask(limiter, 1)).toEqual([2])
  })
})

function limiterOf(client: ScriptClient, limit: number): Limiter {
  const logger = { warn: () => {}, error: () => {} }
  const store = redisStore({ client, prefix: keyPrefix(), deadlineMs: 10_000, logger })
  const policy = fixedWindow({ limit, window: '36525d' })
  return createLimiter({ limit: policy, store, name: 'gone', logger })
}

/** What remains after each of so many calls, all allowed by the store. */
async function ask(limiter: Limiter, times: number): Promise<readonly number[]> {
  const remaining: number[] = []
  for (let i = 0; i < times; i++) {
    const decision = (await limiter.consume('k')) as Counted
    expect([decision.allowed, decision.source]).toEqual([true, 'store'])
    remaining.push(decision.remaining)
  }
  return remaining
}

async function calls(): Promise<{ readonly evalsha: number; readonly eval: number }> {
  const { evalsha, eval: byText } = await server().commandstats()
  return { evalsha: evalsha?.calls ?? 0, eval: byText?.calls ?? 0 }
}
