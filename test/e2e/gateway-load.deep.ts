import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { ensureBuilt } from '../scripts/setup.mjs'
import { inRoot } from '../scripts/workspace.mjs'
import { guard, scratchDir, unguard } from '../support/guardian.js'
import { send } from '../support/http-client.js'
import { type RedisServer, startRedis } from '../support/redis-server.js'
import { waitUntil } from '../support/wait-until.js'
import { type Gateway, redisErrors, startGateway } from './gateway.js'

beforeAll(() => ensureBuilt(), 120_000)

interface Summary {
  readonly sent: number
  readonly statuses: Readonly<Record<string, number>>
  readonly errors: Readonly<Record<string, number>>
  readonly latencyMs: { readonly p50: number; readonly p99: number; readonly max: number }
}

/** The load test that is shipped, in a process of its own. */
async function load({ target }: Gateway, flags: readonly string[]): Promise<Summary> {
  const program = inRoot('examples/gateway/dist/loadtest.js')
  const url = `http://127.0.0.1:${target.port}/api/ping`
  const child = spawn(process.execPath, [program, '--json', '--url', url, ...flags], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  guard(child.pid ?? 0)
  let out = ''
  child.stdout.on('data', (part) => {
    out += part
  })
  await once(child, 'close')
  unguard(child.pid ?? 0)
  return JSON.parse(out)
}

interface Stand {
  readonly redis: RedisServer
  readonly gateways: readonly [Gateway, Gateway]
  readonly file: string
}

async function stand(flags: readonly string[] = []): Promise<Stand> {
  const redis = await startRedis()
  onTestFinished(() => redis.stop())
  const file = join(scratchDir('gateway'), 'tenants.json')
  writeFileSync(file, readFileSync(inRoot('examples/gateway/tenants.json')))
  const all = ['--redis-addr', `127.0.0.1:${redis.port}`, '--tenants', file, ...flags]
  return { redis, file, gateways: [await startGateway(all), await startGateway(all)] }
}

function both({ gateways }: Stand, rps: number, flags: readonly string[]): Promise<Summary[]> {
  return Promise.all(gateways.map((gateway) => load(gateway, ['--rps', String(rps / 2), ...flags])))
}

function total(summaries: readonly Summary[], status: number): number {
  return summaries.reduce((sum, { statuses }) => sum + (statuses[status] ?? 0), 0)
}

describe('two gateways under load', () => {
  it('the tenant with 200 a second passes 100 a second for 10 s', async () => {
    const summaries = await both(await stand(), 100, ['--dur', '10s', '--api-key', 'key-abc123'])
    console.log(JSON.stringify(summaries.map(({ statuses, latencyMs }) => ({ statuses, latencyMs }))))
    expect(summaries.map(({ sent, statuses, errors }) => ({ sent, statuses, errors }))).toEqual([
      { sent: 500, statuses: { 200: 500 }, errors: {} },
      { sent: 500, statuses: { 200: 500 }, errors: {} },
    ])
  })

  // What the algorithms say, over 10 s that touch 10 or 11 windows. A fixed window admits 5 in each. A log admits 5 in any
  // second. A bucket admits its capacity and then 5 a second. Two counters admit 5 in the first window and then 4 or 5: what
  // they count of the one before falls from 5 to 0, and the last whole unit of it is free only when the window ends.
  it.each([
    ['fixed-window', 50, 55],
    ['sliding-window-log', 50, 55],
    ['sliding-window-counter', 41, 50],
    ['token-bucket', 54, 56],
  ])('%s: 100 a second against 5 a second for 10 s', async (algorithm, least, most) => {
    const here = await stand(['--algorithm', algorithm, '--rate', '5'])
    const summaries = await both(here, 100, ['--dur', '10s'])
    const passed = total(summaries, 200)
    const [first, second] = await Promise.all(here.gateways.map(redisErrors))
    // On a busy machine Redis may miss the deadline: each such call was decided by a bucket of the gateway, and may have
    // been charged as well.
    const apart = (first ?? 0) + (second ?? 0)
    console.log(
      `${algorithm}: ${passed} of 1000 passed, ${total(summaries, 429)} were refused; ${apart} calls to Redis failed`,
    )
    expect(passed + total(summaries, 429)).toBe(1000)
    expect(apart).toBeLessThan(50)
    expect(passed).toBeGreaterThanOrEqual(least - apart)
    expect(passed).toBeLessThanOrEqual(most + apart)
  })

  it('Redis is stopped and started: no 5xx, few lines, and the errors are counted', async () => {
    const here = await stand()
    const run = both(here, 200, ['--dur', '14s', '--api-key', 'key-abc123'])
    await sleep(2000)
    await here.redis.kill()
    await sleep(7000)
    await here.redis.restart()
    const summaries = await run
    expect(total(summaries, 200)).toBeGreaterThan(2700)
    expect(total(summaries, 200) + total(summaries, 429)).toBe(2800)
    for (const gateway of here.gateways) {
      const lines = gateway
        .output()
        .split('\n')
        .filter((line) => line.startsWith('[rl]'))
      console.log(lines.join('\n'))
      // One at the start, one in five seconds, one at the end.
      expect(lines.length).toBeGreaterThanOrEqual(2)
      expect(lines.length).toBeLessThanOrEqual(4)
      const errors = await redisErrors(gateway)
      // About 7 s at 100 a second.
      expect(errors).toBeGreaterThan(500)
      expect(errors).toBeLessThan(900)
      expect((await send(gateway.target, '/health')).body).toContain('in Redis')
    }
  })

  it('SIGHUP under load, with another plan each time: no request is dropped or fails', async () => {
    const here = await stand()
    const content = JSON.parse(readFileSync(here.file, 'utf8'))
    const run = both(here, 100, ['--dur', '6s', '--api-key', 'key-abc123'])
    for (let turn = 1; turn <= 20; turn++) {
      content.plans.large.limit = `${200 + turn}/1s`
      writeFileSync(here.file, JSON.stringify(content))
      for (const { process } of here.gateways) process.kill('SIGHUP')
      await sleep(200)
    }
    expect(total(await run, 200)).toBe(600)
    for (const { target } of here.gateways) {
      const headers = { 'X-API-Key': 'key-abc123' }
      const isNew = async () =>
        (await send(target, '/api/ping', { headers })).fields['x-ratelimit-limit'] === '220'
      await waitUntil(isNew, { what: 'the last one is in force' })
    }
  })
})
