import type { ScriptClient } from '@rl/core/redis'
import { expect, it } from 'vitest'
import { injectedScripts } from './injected-scripts.js'
import { byParity, type Difference, differing, LENGTHS, throughJson } from './memory-run.js'
import { type Receipts, RedisTwins } from './redis-twins.js'
import type { Workload } from './sequence-policies.js'
import { sequence } from './sequences.js'

export interface Comparison {
  readonly workload: Workload
  /** Entries in a block of a log: an edge shows only in a log that is longer. @default 256, as it is */
  readonly block?: number
  readonly decisions: number
  readonly firstSeed?: number
}

/** A test: Redis, the memory store and the oracle say the same, in every field of so many decisions. */
export function itAgreesInRedis(title: string, redis: () => ScriptClient, comparison: Comparison): void {
  it(`Redis says what the memory store and the oracle say: ${title}`, { timeout: TIMEOUT }, async () => {
    const { compared, difference } = await playUntil(redis(), comparison)
    expect(difference).toEqual(undefined)
    expect(compared).toBeGreaterThanOrEqual(comparison.decisions)
  })
}

/** Milliseconds: a decision takes 0.2, and other things may run beside it. */
const TIMEOUT = 1_800_000

interface Run {
  compared: number
  /** The one that takes the fewest steps. */
  difference?: Difference
}

/** Sequences that run at once, so that the server has something to do while the oracle thinks. */
const AT_ONCE = 16

async function playUntil(client: ScriptClient, comparison: Comparison): Promise<Run> {
  const { workload, block = 256, decisions, firstSeed = 0 } = comparison
  const run: Run = { compared: 0 }
  const scripts = injectedScripts(block)
  let seed = firstSeed
  const worker = async (): Promise<void> => {
    while (run.compared < decisions) {
      const limiterOf = seed % 5 === 4 ? byParity : () => 'one'
      await play(new RedisTwins(client, scripts, limiterOf), seed++, workload, run)
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, worker))
  return run
}

async function play(twins: RedisTwins, seed: number, workload: Workload, run: Run): Promise<void> {
  const receipts: (Receipts | undefined)[] = []
  for (const [i, step] of sequence(seed, LENGTHS[seed % LENGTHS.length] as number, workload).entries()) {
    const charged = step.type === 'settle' ? receipts[step.of] : undefined
    if (step.type === 'reset') await twins.reset(step, i % 2 === 0)
    if (step.type === 'settle' && charged) await twins.settle(step, i % 2 === 0 ? charged : copyOf(charged))
    if (step.type !== 'consume') {
      receipts.push(undefined)
      continue
    }
    run.compared++
    const { redis, memory } = await twins.consume(step)
    const fields = [...differing(redis), ...differing(memory).map((field) => `memory: ${field}`)]
    if (fields.length > 0) {
      if (i + 1 < (run.difference?.steps ?? Number.POSITIVE_INFINITY)) {
        run.difference = { seed, steps: i + 1, step, fields }
      }
      break
    }
    const both = { redis: redis.decision.receipt, memory: memory.decision.receipt }
    receipts.push(both.redis && both.memory ? { redis: both.redis, memory: both.memory } : undefined)
  }
  await twins.close()
}

function copyOf({ redis, memory }: Receipts): Receipts {
  return { redis: throughJson(redis), memory: throughJson(memory) }
}
