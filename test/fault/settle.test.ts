import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { type Counted, createLimiter, fixedWindow, slidingLog, tokenBucket } from '@rl/core'
import { redisStore } from '@rl/core/redis'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { bundleChild, type Child } from '../support/child.js'
import { keyPrefix } from '../support/keys.js'
import { useClient, useServer } from '../support/use-redis.js'
import { waitUntil } from '../support/wait-until.js'

const server = useServer()
const client = useClient(server)
let child: Child
beforeAll(async () => {
  child = await bundleChild(new URL('./settle.child.ts', import.meta.url))
})
afterAll(() => child?.remove())

const storeAt = (prefix: string) => redisStore({ client: client(), prefix, deadlineMs: 10_000 })

describe('a receipt', () => {
  it('of a process that was killed before it settled is settled by another, once', async () => {
    const prefix = keyPrefix()
    const running = spawn(process.execPath, [fileURLToPath(child.program), String(server().port), prefix])
    let out = ''
    running.stdout.on('data', (chunk) => {
      out += chunk
    })
    const [, signal] = await once(running, 'close')
    expect(signal).toBe('SIGKILL')
    const decision = JSON.parse(out) as Counted
    const limit = { requests: fixedWindow({ limit: 10, window: '365d' }), tokens: '100000/1d' }
    const limiter = createLimiter({ name: 'tokens', limit, store: storeAt(prefix) })
    const left = async () => ((await limiter.peek('ann')) as Counted).policies.map(({ used }) => used)
    expect(await left()).toEqual([1, 900])
    for (let time = 0; time < 3; time++) await limiter.settle(decision, { tokens: 250 })
    expect(await left()).toEqual([1, 250])
  })

  it.each([
    ['fixed window', fixedWindow({ limit: 5, window: 60, align: 'first-hit' })],
    ['sliding log', slidingLog({ limit: 5, window: 60 })],
    ['token bucket', tokenBucket({ capacity: 5, per: 60 })],
  ])(
    '%s: is harmless when its key has expired: no key is made, and nothing is more than full',
    async (_, limit) => {
      const prefix = keyPrefix()
      const limiter = createLimiter({ name: 'l', limit, store: storeAt(prefix) })
      const decision = await limiter.consume('ann', { cost: 3 })
      const keys = async () => (await server().command('KEYS', `${prefix}:l:{ann}`)) as string[]
      await waitUntil(async () => (await keys()).length === 0, { what: 'the key has expired' })
      for (let time = 0; time < 2; time++) await limiter.refund(decision)
      expect(await keys()).toEqual([])
      expect(await limiter.peek('ann')).toMatchObject({ remaining: 5 })
      const [mark = ''] = (await server().command('KEYS', `${prefix}:*:settled:*`)) as string[]
      expect(Number(await server().command('PTTL', mark))).toBeGreaterThan(0)
    },
  )
})
