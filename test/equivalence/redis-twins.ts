import type { Charge, Counted, Receipt, Store } from '@rl/core'
import { redisStore, type ScriptClient } from '@rl/core/redis'
import { keyPrefix } from '../support/keys.js'
import { withClock } from './injected-client.js'
import type { InjectedScript } from './injected-scripts.js'
import { type Answers, actualCosts, keyAt, MemoryTwins } from './memory-twins.js'
import type { ModelPolicy } from './model.js'
import type { ConsumeStep, ResetStep, SettleStep } from './sequences.js'

/** What the Redis store, the memory store and the oracle say to one call. */
export interface RedisAnswers {
  readonly redis: Omit<Answers, 'charges'>
  readonly memory: Omit<Answers, 'charges'>
}

/** What a call charged, for each of the two stores. */
export interface Receipts {
  readonly redis: Receipt
  readonly memory: Receipt
}

/** The Redis store, the memory store and the oracle, told the same. */
export class RedisTwins {
  private readonly twins: MemoryTwins
  private readonly store: Store
  private readonly prefix = keyPrefix()
  private now = 0
  /** The last charge of every key. */
  private readonly subjects = new Map<string, Charge>()

  constructor(
    client: ScriptClient,
    scripts: ReadonlyMap<string, InjectedScript>,
    limiterOf: (policy: ModelPolicy) => string,
  ) {
    this.twins = new MemoryTwins(limiterOf)
    const timed = withClock(client, scripts, () => this.now)
    this.store = redisStore({ client: timed, prefix: this.prefix, deadlineMs: 10_000 })
  }

  async consume(step: ConsumeStep): Promise<RedisAnswers> {
    const { charges, decision, expected } = this.twins.consume(step)
    for (const charge of charges) this.subjects.set(charge.key, charge)
    this.now = step.now
    const inRedis = (await this.store.consume(charges, step.mode)) as Counted
    const { id = 0 } = inRedis.receipt ?? {}
    const receipt = expected.receipt && { ...expected.receipt, id, store: `redis:${this.prefix}` }
    return {
      redis: { decision: inRedis, expected: { ...expected, receipt } },
      memory: { decision, expected },
    }
  }

  async settle(step: SettleStep, receipts: Receipts): Promise<void> {
    this.twins.settle(step, receipts.memory)
    this.now = step.now
    await this.store.settle(receipts.redis, actualCosts(step))
  }

  /** The limiter may not know by which policies was counted: then lists stay, and must not be found again. */
  async reset(step: ResetStep, knowsPolicies: boolean): Promise<void> {
    this.twins.reset(step)
    for (const { limiter, key, policies } of this.subjects.values()) {
      if (key !== keyAt(limiter, step.key)) continue
      await this.store.reset({ limiter, key, policies: knowsPolicies ? policies : [] })
    }
  }

  async close(): Promise<void> {
    await this.store.close()
  }
}
