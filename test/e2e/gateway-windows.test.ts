import { setTimeout as sleep } from 'node:timers/promises'
import { beforeAll, expect, it } from 'vitest'
import { ensureBuilt } from '../scripts/setup.mjs'
import { send } from '../support/http-client.js'
import { useServer } from '../support/use-redis.js'
import { type Gateway, startGateway, undisturbed } from './gateway.js'

beforeAll(() => ensureBuilt(), 120_000)
const server = useServer()

const LIMIT = 10
const WINDOW_MS = 2000
/** In a tenth of a window a bucket gets one token back, and two counters forget one request. */
const SLACK_MS = WINDOW_MS / 10
const TRIES = 5

/** How many pass of twice the limit: half in the last moment of a window, half in the first of the next. */
async function passed(gateway: Gateway, client: number): Promise<number> {
  for (let attempt = 1; attempt <= TRIES; attempt++) {
    const from = `127.0.${client}.${attempt}`
    const edge = Math.ceil((Date.now() + 150) / WINDOW_MS) * WINDOW_MS
    await sleep(edge - 100 - Date.now())
    const before = await burst(gateway, from)
    const isBefore = Date.now() < edge
    await sleep(Math.max(0, edge + 5 - Date.now()))
    const after = await burst(gateway, from)
    // On a machine that stood still it was another case.
    if (isBefore && Date.now() < edge - 100 + SLACK_MS) return before + after
  }
  throw new Error(`in ${TRIES} tries the machine was never fast enough`)
}

async function burst({ target }: Gateway, from: string): Promise<number> {
  const answers = await Promise.all(Array.from({ length: LIMIT }, () => send(target, '/api/ping', { from })))
  return answers.filter(({ status }) => status === 200).length
}

it('the limit in the last moment of a window and again in the first of the next: twice for a fixed window alone', async () => {
  const algorithms = ['fixed-window', 'sliding-window-counter', 'sliding-window-log', 'token-bucket']
  const counts = algorithms.map(async (algorithm) => {
    const limit = ['--algorithm', algorithm, '--rate', String(LIMIT), '--window', `${WINDOW_MS}ms`]
    const gateway = await startGateway(['--redis-addr', `127.0.0.1:${server().port}`, ...limit])
    return [algorithm, await undisturbed([gateway], (attempt) => passed(gateway, attempt))]
  })
  expect(Object.fromEntries(await Promise.all(counts))).toEqual({
    'fixed-window': 20,
    'sliding-window-counter': 10,
    'sliding-window-log': 10,
    'token-bucket': 10,
  })
})
