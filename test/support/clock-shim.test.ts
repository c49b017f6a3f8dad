import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { type ClockShim, createClockShim } from './clock-shim.js'
import { keyPrefix } from './keys.js'
import { runTogether } from './processes.js'
import { type RedisServer, startRedis } from './redis-server.js'

describe('a live server whose clock is stepped', () => {
  let shim: ClockShim
  let server: RedisServer
  beforeAll(async () => {
    shim = await createClockShim()
    server = await startRedis({ preload: shim })
  })
  afterAll(() => server.stop())
  afterEach(() => shim.reset())

  it.each([0, 1, -1, 999, -999, 10_000, -10_000, 3_600_000, -3_600_000])('TIME follows %i ms', async (ms) => {
    shim.step(ms)
    const { earliest, latest } = await serverOffset(server)
    expect(shim.offsetMs).toBe(ms)
    expect(earliest).toBeLessThanOrEqual(ms)
    expect(latest).toBeGreaterThanOrEqual(ms)
    expect(latest - earliest).toBeLessThan(1000)
  })

  it('adds steps up, in both directions', async () => {
    for (const ms of [10_000, -3_600_000, 250]) shim.step(ms)
    const { earliest, latest } = await serverOffset(server)
    expect(earliest).toBeLessThanOrEqual(-3_589_750)
    expect(latest).toBeGreaterThanOrEqual(-3_589_750)
  })

  it.each([10_000, 3_600_000])('a step of %i ms forward expires a key', async (ms) => {
    const key = keyPrefix()
    await server.command('SET', key, 1, 'PX', ms - 1)
    expect(await server.command('GET', key)).toBe('1')
    shim.step(ms)
    expect(await server.command('GET', key)).toBeNull()
  })

  it.each([10_000, 3_600_000])('a step of %i ms back keeps a key that much longer', async (ms) => {
    const key = keyPrefix()
    await server.command('SET', key, 1, 'PX', 60_000)
    shim.step(-ms)
    const left = Number(await server.command('PTTL', key))
    expect(left).toBeLessThanOrEqual(60_000 + ms)
    expect(left).toBeGreaterThan(59_000 + ms)
  })

  it('the time inside a script follows too, and the server goes on serving', async () => {
    shim.step(-3_600_000)
    const before = Date.now()
    const seconds = Number(await server.command('EVAL', "return redis.call('TIME')[1]", 0))
    expect(seconds).toBeGreaterThanOrEqual(Math.floor(before / 1000) - 3600)
    expect(seconds).toBeLessThanOrEqual(Math.floor(Date.now() / 1000) - 3600)
  })
})

it('steps the Date of a Node process too', async () => {
  const shim = await createClockShim()
  shim.step(3_600_000)
  const program = new URL('./barrier-probe.mjs', import.meta.url)
  const before = Date.now()
  const [probe] = await runTogether<{ startedAt: number }>({ program, count: 1, env: shim.env })
  expect((probe?.startedAt ?? 0) - 3_600_000).toBeGreaterThanOrEqual(before)
  expect((probe?.startedAt ?? 0) - 3_600_000).toBeLessThanOrEqual(Date.now())
})

it('refuses an offset that is not whole', async () => {
  const shim = await createClockShim()
  expect(() => shim.step(0.5)).toThrow(RangeError)
  expect(shim.offsetMs).toBe(0)
})

/** Between which offsets the server's clock lies from ours; its own reading lies between two of ours. */
async function serverOffset(server: RedisServer): Promise<{ earliest: number; latest: number }> {
  const before = Date.now()
  const reply = await server.command('TIME')
  const after = Date.now()
  const [seconds, micros] = Array.isArray(reply) ? reply.map(Number) : []
  const time = (seconds ?? 0) * 1000 + (micros ?? 0) / 1000
  // Our readings are whole milliseconds: the true ones may be up to 1 ms later.
  return { earliest: time - after - 1, latest: time - before }
}
