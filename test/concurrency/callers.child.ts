import { type Charge, type Counted, createLimiter, type Limit } from '@rl/core'
import { connectRedis } from '@rl/core/ioredis'
import { redisStore } from '@rl/core/redis'
import { atBarrier } from '../support/barrier.mjs'
import { waitUntil } from '../support/wait-until.js'

/** What a process does: for each case so many calls at once; once, or again and again for so long. */
export interface Input {
  readonly port: number
  readonly prefix: string
  readonly cases: Readonly<Record<string, Limit>>
  readonly atOnce: number
  readonly forMs: number
}

/** What became of the calls of a case. */
export interface Outcome {
  /** By the server's clock, one for each call that was admitted. */
  readonly admittedAt: number[]
  readonly remaining: number[]
  readonly refused: number
  readonly failed: number
}

await atBarrier(async ({ port, prefix, cases, atOnce, forMs }: Input) => {
  const client = connectRedis({ host: '127.0.0.1', port })
  const store = redisStore({ client, prefix, deadlineMs: 20_000 })
  await waitUntil(() => client.status === 'ready', { what: 'the client is ready' })

  const run = async (name: string, limit: Limit): Promise<Outcome> => {
    const charge: Charge = { limiter: name, key: 'k', policies: createLimiter({ limit }).policies, costs: 1 }
    const outcome = { admittedAt: [] as number[], remaining: [] as number[], refused: 0, failed: 0 }
    const call = async (): Promise<void> => {
      try {
        const { receipt, remaining } = (await store.consume([charge], 'ask')) as Counted
        if (receipt === null) outcome.refused++
        else {
          outcome.admittedAt.push(receipt.at)
          outcome.remaining.push(remaining)
        }
      } catch {
        outcome.failed++
      }
    }
    const end = performance.now() + forMs
    const caller = async (): Promise<void> => {
      do await call()
      while (performance.now() < end)
    }
    await Promise.all(Array.from({ length: atOnce }, caller))
    return outcome
  }
  return async () => {
    const runs = Object.entries(cases).map(async ([name, limit]) => [name, await run(name, limit)] as const)
    return Object.fromEntries(await Promise.all(runs))
  }
})
