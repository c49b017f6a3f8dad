import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { type Gateway, startGateway } from '../../e2e/gateway.js'
import { send } from '../../support/http-client.js'
import { type RedisServer, startRedis } from '../../support/redis-server.js'
import { waitUntil } from '../../support/wait-until.js'
import { startTraffic, type Traffic } from './traffic.js'

/** What is done to Redis, in this order, under traffic. */
export type Outage = 'killed' | 'frozen' | 'restarted'

export interface Run {
  readonly traffic: Traffic
  readonly seconds: number
  /** Lines that the gateway logged, with the second in which they came. */
  readonly lines: readonly { readonly line: string; readonly at: number }[]
  /** From each end of an outage to the first time that the gateway counted in Redis again, ms. */
  readonly backMs: readonly number[]
  /** Of the gateway: how long its event loop stood still at most, and how long it took over an answer at most. */
  readonly stallMs: number
  readonly longestMs: number
  /** The same, without the time in which the loop stood still meanwhile. */
  readonly longestAwakeMs: number
}

const LASTS_MS = 2500
const BETWEEN_MS = 2000

/** 200 requests a second to a gateway over a Redis to which all that happens. */
export async function runGateway(program: URL, outages: readonly Outage[]): Promise<Run> {
  const redis = await startRedis()
  const flags = ['--redis-addr', `127.0.0.1:${redis.port}`, '--rate', '100000', '--window', '1h']
  const gateway = await startGateway(flags, fileURLToPath(program))
  const startedAt = performance.now()
  const lines = watchLines(gateway, startedAt)
  try {
    const result = await play({ redis, gateway, outages })
    const seconds = (performance.now() - startedAt) / 1000
    gateway.process.kill('SIGTERM')
    await gateway.ended
    const told = (what: string) =>
      Number(new RegExp(`longest ${what}: (\\d+) ms`).exec(gateway.output())?.[1])
    return {
      ...result,
      seconds,
      lines,
      stallMs: told('stall'),
      longestMs: told('answer'),
      longestAwakeMs: told('answer awake'),
    }
  } finally {
    await redis.stop()
  }
}

interface Parts {
  readonly redis: RedisServer
  readonly gateway: Gateway
  readonly outages: readonly Outage[]
}

async function play({ redis, gateway, outages }: Parts): Promise<Pick<Run, 'traffic' | 'backMs'>> {
  const traffic = startTraffic(gateway.target, '/api/ping')
  const backMs: number[] = []
  await sleep(1000)
  for (const outage of outages) {
    await ACTS[outage](redis)
    const endedAt = performance.now()
    await countsAgain(redis, gateway)
    backMs.push(performance.now() - endedAt)
    await sleep(BETWEEN_MS)
  }
  await traffic.stop()
  return { traffic, backMs }
}

const ACTS: Readonly<Record<Outage, (redis: RedisServer) => Promise<void>>> = {
  async killed(redis) {
    await redis.kill()
    await sleep(LASTS_MS)
    await redis.restart()
  },
  async frozen(redis) {
    redis.freeze()
    await sleep(LASTS_MS)
    redis.thaw()
  },
  restarted: (redis) => redis.restart(),
}

/** It says so, and the counter of Redis grows. */
async function countsAgain(redis: RedisServer, gateway: Gateway): Promise<void> {
  const calls = async () => (await redis.commandstats()).evalsha?.calls ?? 0
  const saysSo = async () => (await send(gateway.target, '/health')).body.includes('"in Redis"')
  const options = { timeoutMs: 10_000 }
  await waitUntil(saysSo, { ...options, what: 'the gateway counts in Redis' })
  const before = await calls()
  // One is the probe, perhaps.
  await waitUntil(async () => (await calls()) > before + 2, { ...options, what: 'Redis is asked' })
}

function watchLines({ process }: Gateway, startedAt: number): Run['lines'] {
  const lines: { line: string; at: number }[] = []
  process.stderr?.on('data', (text: string) => {
    const at = (performance.now() - startedAt) / 1000
    for (const line of text.split('\n')) if (line.startsWith('[rl]')) lines.push({ line, at })
  })
  return lines
}
