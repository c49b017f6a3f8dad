import { type Charge, createLimiter } from '@rl/core'
import { redisStore, type ScriptClient } from '@rl/core/redis'
import { describe, expect, it } from 'vitest'
import { unpackIntegers } from '../../packages/core/src/redis/packed.js'
import { keyPrefix } from '../support/keys.js'
import { CLIENTS, type Connect } from '../support/redis-clients.js'
import { useClient, useServer } from '../support/use-redis.js'

const server = useServer()
const { policies } = createLimiter({ limit: '100000/1d' })

describe.each(Object.entries<Connect>(CLIENTS))(
  '50 calls with a deadline of 50 ms, over %s',
  (_, connect) => {
    const client = useClient(server, connect)

    it('none fails when the loop is blocked for 80 ms while they are under way', async () => {
      const heard = countLate(client())
      const store = redisStore({ client: heard.client, prefix: keyPrefix(), deadlineMs: 50 })
      const charge: Charge = { limiter: 'busy', key: 'k', policies, costs: 1 }
      // A machine that gives the server no turn for 50 ms proves nothing: then another round is played.
      for (let round = 0; round < 50; round++) {
        await Promise.resolve(store.consume([charge], 'peek')).catch(() => {})
        heard.late = 0
        const calls = Array.from({ length: 50 }, async () => store.consume([charge], 'ask'))
        // node-redis writes what it was given in the next turn.
        await new Promise(setImmediate)
        block(80)
        const failed = (await Promise.allSettled(calls)).filter(({ status }) => status === 'rejected')
        if (heard.late > 0) continue
        expect(failed).toEqual([])
        return
      }
      expect.unreachable('the server was late in every round')
    })
  },
)

function block(ms: number): void {
  const end = performance.now() + ms
  while (performance.now() < end);
}

/** The client, and how many replies said that the call had come to the server too late. */
function countLate(inner: ScriptClient): { readonly client: ScriptClient; late: number } {
  const heard = {
    late: 0,
    client: {
      ...(inner.status === undefined ? {} : { status: 'ready' }),
      evalBuffer: (...call: Parameters<ScriptClient['evalBuffer']>) => inner.evalBuffer(...call),
      async evalshaBuffer(...call: Parameters<ScriptClient['evalshaBuffer']>) {
        const reply = await inner.evalshaBuffer(...call)
        if (unpackIntegers(reply).join().endsWith(',-2')) heard.late++
        return reply
      },
      del: (...keys: string[]) => inner.del(...keys),
    },
  }
  return heard
}
