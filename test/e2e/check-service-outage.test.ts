import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { ensureBuilt } from '../scripts/setup.mjs'
import { type RedisServer, startRedis } from '../support/redis-server.js'
import { waitUntil } from '../support/wait-until.js'
import { check, type Node, startNode } from './check-service.js'

beforeAll(() => ensureBuilt(), 120_000)

let redis: RedisServer
let node: Node
beforeEach(async () => {
  redis = await startRedis()
  node = await startNode(['--redis', redis.url])
})
afterEach(async () => {
  node.kill()
  await node.ended
  await redis.stop()
})

const READY = { status: 'ready', redis: 'ready', source: 'store' }
const DEGRADED = { status: 'degraded', redis: 'unreachable', source: 'local' }

describe('while Redis is gone', () => {
  it('checks are decided in the process, and say so; afterwards by Redis again, without a restart', async () => {
    const ask = () => check(node.url, { client_id: 'ann', limit: '2', rate_or_window: '3600' })
    expect((await ask()).headers.get('X-RateLimit-Source')).toBe('store')
    expect(await health()).toEqual([200, READY])

    await redis.kill()
    await healthIs(DEGRADED)
    const local = [await ask(), await ask(), await ask()]
    expect(local.map(({ status }) => status)).toEqual([200, 200, 429])
    expect(local.map(({ body }) => body.source)).toEqual(['local', 'local', 'local'])
    expect(local.map(({ headers }) => headers.get('X-RateLimit-Source'))).toEqual(['local', 'local', 'local'])

    await redis.restart()
    await healthIs(READY)
    const { body, headers } = await ask()
    expect([body.source, headers.get('X-RateLimit-Source')]).toEqual(['store', 'store'])
    expect(node.output()).toMatch(/the store fails; decisions are now by a limit in this process/)
    expect(node.output()).toMatch(/the store works again/)
  })

  it('the service starts all the same', async () => {
    await redis.kill()
    const late = await startNode(['--redis', redis.url])
    const { status, body } = await check(late.url, { client_id: 'ann' })
    expect([status, body.source]).toEqual([200, 'local'])
    late.kill()
    expect(await late.ended).toBe(0)
  })
})

describe('while Redis is frozen', () => {
  it('an answer comes within the deadline, and health says that Redis does not answer', async () => {
    const strict = await startNode(['--redis', redis.url, '--deadline-ms', '200'])
    redis.freeze()
    const start = performance.now()
    const { body } = await check(strict.url, { client_id: 'ann' })
    expect(body.source).toBe('local')
    // The deadline, and room for a machine that is full.
    expect(performance.now() - start).toBeLessThan(2000)
    const response = await fetch(`${strict.url}/health`)
    expect([response.status, await response.json()]).toEqual([
      200,
      { status: 'degraded', redis: 'unreachable', source: expect.stringMatching(/^(store|local)$/) },
    ])
    redis.thaw()
    strict.kill()
    expect(await strict.ended).toBe(0)
  })

  it('a node that is told to stop answers what is under way, and then ends', async () => {
    const patient = await startNode(['--redis', redis.url, '--deadline-ms', '700'])
    redis.freeze()
    const answer = check(patient.url, { client_id: 'ann' })
    await new Promise((resolve) => setTimeout(resolve, 200))
    patient.kill('SIGINT')
    patient.kill('SIGTERM')
    expect((await answer).status).toBe(200)
    expect(await patient.ended).toBe(0)
    redis.thaw()
  })
})

async function health(): Promise<readonly [number, unknown]> {
  const response = await fetch(`${node.url}/health`)
  return [response.status, await response.json()]
}

/** The status is 200 all the time. */
async function healthIs(expected: object): Promise<void> {
  const isThere = async () => JSON.stringify(await health()) === JSON.stringify([200, expected])
  await waitUntil(isThere, { what: `health is ${JSON.stringify(expected)}`, timeoutMs: 10_000 })
}
