import { setTimeout as sleep } from 'node:timers/promises'
import { type Charge, type Counted, memoryStore, type Receipt } from '@rl/core'
import { redisStore, type ScriptClient } from '@rl/core/redis'
import { expect, it } from 'vitest'
import { unpackIntegers } from '../../packages/core/src/redis/packed.js'
import { keyPrefix } from '../support/keys.js'
import { useClient, useServer } from '../support/use-redis.js'
import { differing } from './memory-run.js'
import type { ModelPolicy } from './meter.js'
import { Random } from './random.js'

const redis = useClient(useServer())

const WINDOWS = [2, 20, 100, 500]
const SEQUENCES = 24
const STEPS = 120

it('the scripts as they are, by the clock of Redis: rows end when they say nothing more, and no earlier', async () => {
  const prefix = keyPrefix()
  const runs = Array.from({ length: SEQUENCES }, (_, seed) => play(seed, prefix))
  expect((await Promise.all(runs)).flat()).toEqual([])
}, 60_000)

/** Differences between Redis and a memory store whose clock says what Redis said. */
async function play(seed: number, prefix: string): Promise<readonly string[]> {
  const random = new Random(seed)
  let now = 0
  const heard = async (reply: Promise<unknown>): Promise<unknown> => {
    const told = await reply
    now = unpackIntegers(told)[1] as number
    return told
  }
  const client = {
    evalshaBuffer: (...call: Parameters<ScriptClient['evalshaBuffer']>) =>
      heard(redis().evalshaBuffer(...call)),
    evalBuffer: (...call: Parameters<ScriptClient['evalBuffer']>) => heard(redis().evalBuffer(...call)),
    del: (...keys: string[]) => redis().del(...keys),
  }
  const inRedis = redisStore({ client, prefix, deadlineMs: 10_000 })
  const inMemory = memoryStore({ clock: () => now })
  const pool = Array.from({ length: 4 }, (_, i) => policy(random, `p${i}`))
  const receipts: { readonly redis: Receipt; readonly memory: Receipt }[] = []
  const differences: string[] = []
  for (let step = 0; step < STEPS; step++) {
    await sleep(random.pick([0, 0, 1, 5, random.int(1, 60)]))
    const charged = random.chance(15) ? receipts.pop() : undefined
    if (charged !== undefined) {
      const actual = random.int(0, 3)
      await inRedis.settle(charged.redis, actual)
      inMemory.settle(charged.memory, actual)
      continue
    }
    const policies = random.shuffled(pool).slice(0, random.pick([1, 1, 2, 4]))
    const charge: Charge = { limiter: 'live', key: `k${seed}`, policies, costs: random.int(0, 3) }
    const mode = random.pick(['ask', 'ask', 'ask', 'peek', 'force'] as const)
    const decision = (await inRedis.consume([charge], mode)) as Counted
    const expected = inMemory.consume([charge], mode)
    const both = { redis: decision.receipt, memory: expected.receipt }
    const fields = differing({ decision, expected: { ...expected, receipt: decision.receipt } })
    differences.push(...fields.map((field) => `seed ${seed}, step ${step}: ${field}`))
    if (both.redis && both.memory) receipts.push({ redis: both.redis, memory: both.memory })
  }
  return differences
}

function policy(random: Random, name: string): ModelPolicy {
  const common = { name, limit: random.int(1, 6), windowMs: random.pick(WINDOWS) }
  return random.pick<ModelPolicy>([
    { ...common, kind: 'fixed-window', align: 'epoch' },
    { ...common, kind: 'fixed-window', align: 'first-hit' },
    { ...common, kind: 'sliding-window' },
    { ...common, kind: 'sliding-log' },
    { ...common, kind: 'token-bucket', refill: random.int(1, 6) },
  ])
}
