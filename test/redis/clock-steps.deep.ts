import { setTimeout as sleep } from 'node:timers/promises'
import { createLimiter, type Limit, type Store } from '@rl/core'
import { redisStore } from '@rl/core/redis'
import { beforeAll, describe, expect, it } from 'vitest'
import { casesOf } from '../concurrency/cases.js'
import { type ClockShim, createClockShim } from '../support/clock-shim.js'
import { keyPrefix } from '../support/keys.js'
import { useClient, useServer } from '../support/use-redis.js'

const LIMIT = 10
const WINDOW = 1000
const HOUR = 3_600_000

let shim: ClockShim
const server = useServer(async () => {
  shim = await createClockShim()
  return { preload: shim }
})
const client = useClient(server)

/** The most that a steady clock lets pass in so many milliseconds. */
const BOUNDS: Readonly<Record<string, (ms: number) => number>> = {
  'fixed window': (ms) => LIMIT * (Math.floor(ms / WINDOW) + 2),
  'fixed window from the first hit': (ms) => LIMIT * (Math.floor(ms / WINDOW) + 2),
  'sliding window': (ms) => LIMIT * (1 + ms / WINDOW),
  'sliding log': (ms) => LIMIT * (Math.floor(ms / WINDOW) + 1),
  'token bucket': (ms) => LIMIT * (1 + ms / WINDOW),
  'three policies': (ms) => LIMIT * (Math.floor(ms / WINDOW) + 1),
}

describe.each<[string, readonly number[]]>([
  ['back by 10 s', [-10_000]],
  ['on by 10 s', [10_000]],
  ['back by an hour', [-HOUR]],
  ['on by an hour', [HOUR]],
  ['on by an hour, and back to the right time', [HOUR, -HOUR]],
  ['back by an hour, and on to the right time', [-HOUR, HOUR]],
])('the server’s clock is stepped %s', (_, steps) => {
  const cases = Object.entries(casesOf(LIMIT, `${WINDOW}ms`))
  let runs: ReadonlyMap<string, Run>
  const steppedAt: number[] = []
  beforeAll(async () => {
    const store = redisStore({ client: client(), prefix: keyPrefix(), deadlineMs: 5000 })
    const end = performance.now() + 1500 + steps.length * 2500
    const running = cases.map(
      async ([name, limit]) => [name, await askUntil(end, store, name, limit)] as const,
    )
    await sleep(1500)
    for (const step of steps) {
      shim.step(step)
      steppedAt.push(performance.now())
      await sleep(2500)
    }
    runs = new Map(await Promise.all(running))
    shim.reset()
  })

  it.each(Object.entries(BOUNDS))('one burst more passes for each step, at most: %s', (name, bound) => {
    const { times = [] } = runs.get(name) ?? {}
    const ms = (times.at(-1) ?? 0) - (times[0] ?? 0)
    console.log(`${name}: ${times.length} in ${Math.round(ms)} ms`)
    expect(times.length).toBeGreaterThan(LIMIT)
    expect(times.length).toBeLessThanOrEqual(bound(ms) + LIMIT * steps.length)
  })

  it.each(Object.keys(BOUNDS))('nobody is locked out for longer than a burst takes: %s', (name) => {
    const { times = [], end = 0 } = runs.get(name) ?? {}
    const gaps = [...times, end].slice(1).map((time, i) => {
      const from = Math.max(times[i] as number, ...steppedAt.filter((at) => at < time))
      return time - from
    })
    // Of the window counter the first one passes a tenth of a window after the window's end.
    expect(Math.max(...gaps)).toBeLessThanOrEqual(1.1 * WINDOW + SLOW_MACHINE)
  })
})

const SLOW_MACHINE = 150

/** When calls were admitted, by a clock that nobody steps. */
interface Run {
  readonly times: readonly number[]
  readonly end: number
}

async function askUntil(end: number, store: Store, name: string, limit: Limit): Promise<Run> {
  const { policies } = createLimiter({ limit })
  const times: number[] = []
  while (performance.now() < end) {
    const decision = await store.consume([{ limiter: name, key: 'k', policies, costs: 1 }], 'ask')
    if (decision.allowed) times.push(performance.now())
    await sleep(1)
  }
  return { times, end: performance.now() }
}
