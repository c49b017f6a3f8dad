import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Counted, createLimiter, type Limiter, tokenBucket } from '@rl/core'
import { connectRedis } from '@rl/core/ioredis'
import { redisStore } from '@rl/core/redis'
import OpenAI, { APIError } from 'openai'
import { inRoot } from '../scripts/workspace.mjs'
import { scratchDir } from '../support/guardian.js'
import { type Program, startProgram } from '../support/program.js'
import { type RedisServer, startRedis } from '../support/redis-server.js'
import { waitUntil } from '../support/wait-until.js'

/** One that listens. */
export interface Service extends Program {
  readonly url: string
}

/** A line that a gateway prints with `--log`. */
export interface Line {
  readonly user: string
  readonly end: string
  readonly reserved: number
  readonly tokens: number
  readonly upstream?: string
  readonly chargedAt?: number
}

/** What a model server has done. */
export interface ModelStats {
  readonly requests: number
  readonly inFlight: number
  readonly mostInFlight: number
  readonly reportedTokens: number
}

/** A program of the example: `dist/<name>.js`. */
export function startExample(name: string, flags: readonly string[]): Program {
  return startProgram(inRoot('examples/llm-gateway/dist', `${name}.js`), flags)
}

/** Starts a service on a port that the system chooses. */
async function startService(name: string, flags: readonly string[]): Promise<Service> {
  const program = startExample(name, ['--addr', '127.0.0.1:0', ...flags])
  let code: number | null | undefined
  void program.ended.then((value) => {
    code = value
  })
  const url = await waitUntil(
    () => {
      if (code !== undefined) throw new Error(`${name} ended with ${code}:\n${program.output()}`)
      return /(http:\/\/127\.0\.0\.1:\d+)/.exec(program.output())?.[1]
    },
    { what: `${name} has said where it is`, timeoutMs: 20_000 },
  )
  return { ...program, url }
}

/** A model server that waits for nothing between two tokens. */
export const startModel = (name: string, ...flags: readonly string[]): Promise<Service> =>
  startService('model-server', ['--name', name, '--token-ms', '0', ...flags])

/** A gateway that prints its log. */
export const startGateway = (...flags: readonly string[]): Promise<Service> =>
  // A full machine lets Redis wait for a core; no test but those of outages shall take that for one.
  startService('main', ['--log', '--deadline-ms', '5000', ...flags])

/** A minute's worth that every test of exact counts has: with it, a request or a token is a millisecond of refill. */
export const PER_MINUTE = 60_000

/** Redis, two model servers and gateways before them. */
export interface Setup {
  readonly redis: RedisServer
  readonly models: readonly [Service, Service]
  readonly gateways: readonly Service[]
  /** Writes a user, whose API key is `sk-<name>`. */
  seed(name: string, requests?: number, tokens?: number): Promise<void>
  /** The lines of all gateways about a user. */
  lines(user: string): readonly Line[]
  /** What both model servers have done together. */
  stats(): Promise<ModelStats>
  stop(): Promise<void>
}

/** Profiles of the gateways of a setup. */
const CONFIG = {
  profiles: {
    'rps-limited': { routingStrategy: 'least-request', requestsPerSecond: 1 },
    'rps-20': { requestsPerSecond: 20 },
    free: {},
  },
}

export async function startSetup(gateways: number, ...flags: readonly string[]): Promise<Setup> {
  const config = join(scratchDir('llm'), 'config.json')
  writeFileSync(config, JSON.stringify(CONFIG))
  const [redis, ...models] = await Promise.all([startRedis(), startModel('a'), startModel('b')])
  const shared = ['--redis-addr', `127.0.0.1:${redis.port}`, '--config', config]
  const upstream = ['--upstream', models.map(({ url }) => url).join(',')]
  const start = () => startGateway(...shared, ...upstream, ...flags)
  const running = await Promise.all(Array.from({ length: gateways }, start))
  return {
    redis,
    models: models as [Service, Service],
    gateways: running,
    seed: (name, requests = PER_MINUTE, tokens = PER_MINUTE) =>
      seed(redis, `${name},sk-${name},${requests},${tokens}`),
    lines: (user) => running.flatMap(({ output }) => linesOf(output())).filter((line) => line.user === user),
    stats: () => statsOf(models),
    async stop() {
      for (const program of [...running, ...models]) program.kill('SIGKILL')
      await Promise.all([...running, ...models].map(({ ended }) => ended))
      await redis.stop()
    },
  }
}

async function seed(redis: RedisServer, user: string): Promise<void> {
  const program = startExample('seed', ['--redis-addr', `127.0.0.1:${redis.port}`, '--user', user])
  if ((await program.ended) !== 0) throw new Error(program.output())
}

/** The lines of a log. The last one may still be on its way. */
export function linesOf(output: string): readonly Line[] {
  return output
    .split('\n')
    .slice(0, -1)
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line))
}

async function statsOf(models: readonly Service[]): Promise<ModelStats> {
  const all = await Promise.all(
    models.map(async ({ url }) => (await (await fetch(`${url}/stats`)).json()) as ModelStats),
  )
  const sum = (field: keyof ModelStats) => all.reduce((total, each) => total + each[field], 0)
  return {
    requests: sum('requests'),
    inFlight: sum('inFlight'),
    mostInFlight: sum('mostInFlight'),
    reportedTokens: sum('reportedTokens'),
  }
}

/** The official client, with its own retries off. */
export function clientOf(
  gateway: Service,
  user: string,
  headers: Readonly<Record<string, string>> = {},
): OpenAI {
  return new OpenAI({
    baseURL: `${gateway.url}/v1`,
    apiKey: `sk-${user}`,
    maxRetries: 0,
    defaultHeaders: headers,
  })
}

/** A question of seven tokens, for the small model. */
export const QUESTION = { model: 'small', messages: [{ role: 'user' as const, content: 'Hi' }] }
/** Of {@link QUESTION}: three, four for the message, one for its text. */
export const PROMPT_TOKENS = 8

/** The error of a call that must fail. */
export async function refused(call: Promise<unknown>): Promise<APIError> {
  const error: unknown = await call.then(
    () => new Error('was not refused'),
    (error: unknown) => error,
  )
  if (error instanceof APIError) return error
  throw error
}

/** Reads exactly what a user of {@link PER_MINUTE} was charged, whatever was refilled meanwhile. */
export interface Meter {
  /** Since the last reading. */
  read(): Promise<{ readonly requests: number; readonly tokens: number }>
  close(): Promise<void>
}

/** Charged at the start: the refill of 50 and of 20 seconds, in which no bucket can get full. */
const BALLAST = { requests: 50_000, tokens: 20_000 }

/** A bucket that is never full in between is full again at a time that each token puts off by exactly 1 ms. */
export async function meterOf(redis: RedisServer, user: string): Promise<Meter> {
  const client = connectRedis(redis.url)
  await once(client, 'ready')
  const store = redisStore({ client, prefix: 'llm', deadlineMs: 5000 })
  const limiter: Limiter = createLimiter({ name: 'user', limit: 'per-call', store })
  let before = await fullAfter(limiter, user, BALLAST)
  return {
    async read() {
      const now = await fullAfter(limiter, user, { requests: 1, tokens: 1 })
      const charged = { requests: now.requests - before.requests - 1, tokens: now.tokens - before.tokens - 1 }
      before = now
      return charged
    },
    async close() {
      await limiter.close()
      client.disconnect()
    },
  }
}

/** Charges, and gives when each bucket is full again, by the clock of Redis. */
async function fullAfter(
  limiter: Limiter,
  user: string,
  cost: Readonly<Record<'requests' | 'tokens', number>>,
): Promise<Record<'requests' | 'tokens', number>> {
  const policy = tokenBucket({ capacity: PER_MINUTE, per: '1m' })
  const { receipt, policies } = (await limiter.charge(user, {
    limit: { requests: policy, tokens: policy },
    cost,
  })) as Counted
  const fullAt = (name: 'requests' | 'tokens') => {
    const wait = policies.find(({ policy }) => policy === name)?.resetAfterMs
    if (receipt === null || !wait || wait <= 1) throw new Error(`the bucket of ${name} was full in between`)
    return receipt.at + wait
  }
  return { requests: fullAt('requests'), tokens: fullAt('tokens') }
}
