import { type Counted, createLimiter } from '@rl/core'
import { redisStore } from '@rl/core/redis'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { keyPrefix } from '../support/keys.js'
import { type Monitor, startMonitor } from '../support/monitor.js'
import { CLIENTS, type Connect, type OpenClient } from '../support/redis-clients.js'
import { startProxy, type TcpProxy } from '../support/tcp-proxy.js'
import { useServer } from '../support/use-redis.js'

const server = useServer()

const COMPILE_ERROR =
  "-ERR Error compiling script (new function): user_script:1: unexpected symbol near '#' \r\n"

describe.each(Object.entries<Connect>(CLIENTS))(
  'a server before 7.0, simulated by a proxy that answers the first EVAL with its compile error, over %s',
  (_, connect) => {
    let proxy: TcpProxy
    let open: OpenClient
    let monitor: Monitor
    beforeAll(async () => {
      proxy = await startProxy({ target: server().port })
      open = await connect([proxy.port])
      monitor = await startMonitor(server())
    })
    afterAll(() => {
      monitor?.close()
      open?.close()
      proxy?.stop()
    })
    beforeEach(() => server().command('SCRIPT', 'FLUSH'))

    it('is sent the script without the line, and asked by that hash from then on', async () => {
      let missed = false
      proxy.rewrite((reply) => {
        const text = reply.toString()
        const isAfterMiss = missed
        missed = text.includes('-NOSCRIPT')
        if (!isAfterMiss) return reply
        proxy.pass()
        return Buffer.from(COMPILE_ERROR)
      })
      const store = redisStore({ client: open.client, prefix: keyPrefix(), deadlineMs: 10_000 })
      const limiter = createLimiter({ name: 'old', limit: '5/36525d', store })
      const before = (await monitor.seen()).length
      const remaining: number[] = []
      for (let i = 0; i < 3; i++) remaining.push(((await limiter.consume('k')) as Counted).remaining)
      expect(remaining).toEqual([4, 3, 2])
      const sent = (await monitor.seen()).slice(before)
      const [first, withLine, without, ...hashes] = sent.map(
        ([name, script]) => `${name?.toLowerCase()} ${script?.slice(0, 5)}`,
      )
      expect([first?.slice(0, 7), withLine, without]).toEqual(['evalsha', 'eval #!lua', 'eval local'])
      expect(new Set(hashes).size).toBe(1)
      expect(hashes).toHaveLength(3)
      expect(hashes[0]).not.toBe(first)
    })
  },
)
