import { type Counted, createLimiter, type Limit } from '@rl/core'
import { connectRedis } from '@rl/core/ioredis'
import { redisStore } from '@rl/core/redis'
import { atBarrier } from '../support/barrier.mjs'
import { waitUntil } from '../support/wait-until.js'

export interface Input {
  readonly port: number
  readonly prefix: string
  readonly aheadMs: number
  readonly limits: Readonly<Record<string, Limit>>
}

/** For each limit what three calls were told. */
export type Told = Readonly<
  Record<string, readonly Pick<Counted, 'allowed' | 'remaining' | 'resetAfterMs'>[]>
>

await atBarrier(async ({ port, prefix, aheadMs, limits }: Input) => {
  const [date, monotonic] = [Date.now.bind(Date), performance.now.bind(performance)]
  Date.now = () => date() + aheadMs
  performance.now = () => monotonic() + aheadMs
  const client = connectRedis({ host: '127.0.0.1', port })
  const store = redisStore({ client, prefix, deadlineMs: 10_000 })
  await waitUntil(() => client.status === 'ready', { what: 'the client is ready' })
  return async (): Promise<Told> => {
    const told = Object.entries(limits).map(async ([name, limit]) => {
      const limiter = createLimiter({ name, limit, store })
      const decisions: Counted[] = []
      for (let i = 0; i < 3; i++) decisions.push((await limiter.consume('k')) as Counted)
      return [
        name,
        decisions.map(({ allowed, remaining, resetAfterMs }) => ({ allowed, remaining, resetAfterMs })),
      ]
    })
    return Object.fromEntries(await Promise.all(told))
  }
})
