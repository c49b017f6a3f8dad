import { once } from 'node:events'
import { createServer } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { freePort } from './free-port.js'
import { keyPrefix } from './keys.js'
import { measureLoopDelay } from './loop-delay.js'
import { waitUntil } from './wait-until.js'

describe('freePort', () => {
  it('gives a port on which one can listen, and never 6379', async () => {
    const port = await freePort()
    const server = createServer().listen(port, '127.0.0.1')
    await once(server, 'listening')
    server.close()
    expect(port).toBeGreaterThanOrEqual(12_000)
    expect(port).toBeLessThan(22_000)
  })
})

describe('waitUntil', () => {
  it('returns the first answer that is not false, null or undefined', async () => {
    const answers = [false, null, undefined, 0, 1]
    expect(await waitUntil(() => answers.shift(), { what: 'a number comes', intervalMs: 1 })).toBe(0)
    expect(answers).toEqual([1])
  })

  it('takes an error for "not yet" and gives the last one as the cause', async () => {
    const cause = new Error('refused')
    const fail = (): boolean => {
      throw cause
    }
    await expect(waitUntil(fail, { what: 'it is up', timeoutMs: 30 })).rejects.toMatchObject({
      message: 'Timed out waiting until it is up (30 ms)',
      cause,
    })
  })

  it('keeps its bound when the condition never settles', async () => {
    const startedAt = performance.now()
    const never = new Promise<true>(() => undefined)
    await expect(waitUntil(() => never, { what: 'never', timeoutMs: 50 })).rejects.toThrow('Timed out')
    expect(performance.now() - startedAt).toBeLessThan(1000)
  })
})

describe('keyPrefix', () => {
  it('is new each time and has no character that means something to Redis', () => {
    const prefixes = Array.from({ length: 1000 }, () => keyPrefix('limit'))
    expect(new Set(prefixes).size).toBe(1000)
    expect(prefixes.every((prefix) => /^limit-[0-9a-f]{12}$/.test(prefix))).toBe(true)
  })
})

describe('measureLoopDelay', () => {
  it('sees a block at the very start of the span', async () => {
    const { result, maxDelayMs } = await measureLoopDelay(() => blockFor(80))
    expect(result).toBe('done')
    expect(maxDelayMs).toBeGreaterThanOrEqual(75)
  })

  it('sees a block at the very end of the span', async () => {
    const { maxDelayMs } = await measureLoopDelay(async () => {
      await sleep(20)
      blockFor(80)
    })
    expect(maxDelayMs).toBeGreaterThanOrEqual(75)
  })

  it('does not count waiting as delay', async () => {
    const { maxDelayMs } = await measureLoopDelay(() => sleep(500))
    expect(maxDelayMs).toBeLessThan(400)
  })
})

function blockFor(ms: number): string {
  const end = performance.now() + ms
  while (performance.now() < end);
  return 'done'
}
