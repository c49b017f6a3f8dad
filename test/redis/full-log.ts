import { setTimeout as sleep } from 'node:timers/promises'
import { createLimiter, type Policy, slidingLog } from '@rl/core'
import { part } from '../../packages/core/scripts/build-lua.mjs'
import { encodeSubject } from '../../packages/core/src/redis/subject-key.js'
import { keysOf } from '../../packages/core/src/redis/wire.js'
import { replaceOnce } from '../equivalence/injected-scripts.js'
import type { RedisServer } from '../support/redis-server.js'

/** A log in use: one charge every `everyMs`, the last one at `until`. */
export interface Use {
  readonly limit: number
  readonly windowMs: number
  readonly charges: number
  readonly everyMs: number
  readonly until: number
  /** Weights go in turn from 1 to this. @default 1 */
  readonly weights?: number
  /** What was charged and has expired before. @default 0 */
  readonly before?: number
}

export interface FullLog {
  readonly policies: readonly Policy[]
  readonly value: string
  readonly list: string
}

const AT_ONCE = 20_000

/** Lets a server charge a log with the algorithm's own `push`, at times that are made up: a real day would be too long. */
export async function fillLog(server: RedisServer, key: string, use: Use): Promise<FullLog> {
  const log = logOf(key, use)
  const { windowMs, charges, everyMs, until, weights = 1, before = 0 } = use
  for (let done = 0; done < charges; done += AT_ONCE) {
    const count = Math.min(AT_ONCE, charges - done)
    const last = until - (charges - done - count) * everyMs
    const numbers = [tagOf(log), windowMs, count, everyMs, last, weights]
    await server.command('EVAL', fillScript(before), 2, log.value, log.list, ...numbers)
  }
  return log
}

/** The same log under another key. */
export async function copyLog(server: RedisServer, from: FullLog, key: string, use: Use): Promise<FullLog> {
  const log = logOf(key, use)
  await server.command('COPY', from.value, log.value, 'REPLACE')
  await server.command('COPY', from.list, log.list, 'REPLACE')
  return log
}

function logOf(key: string, { limit, windowMs }: Use): FullLog {
  const { policies } = createLimiter({ limit: slidingLog({ limit, window: windowMs }) })
  const [value, list] = keysOf(`rl:log:{${encodeSubject(key)}}`, policies) as [string, string]
  return { policies, value, list }
}

function tagOf({ value, list }: FullLog): string {
  return list.slice(value.length + 1)
}

function fillScript(before: number): string {
  const entries = replaceOnce(
    part('log-entries'),
    'log.count == 0 then return 0',
    `log.count == 0 then return ${before}`,
  )
  return `#!lua\nlocal call = redis.call\n${['words', 'math', 'rows', 'writing', 'log-blocks'].map((name) => part(name)).join('')}${entries}${part('sliding-log')}${FILL}`
}

const FILL = `
local numbers = {}
for i = 1, #ARGV do numbers[i] = tonumber(ARGV[i]) end
local tag, window, charges, every, last, weights = unpack(numbers)
local rows = read_rows(KEYS[1])
local row = load_row(rows, find_row(rows, tag, 1))
row.tag, row.key = tag, KEYS[2]
local log = open_log(row)
log.items = nil
for i = 1, charges do
  local now = last - (charges - i) * every
  push(log, row.a, now, 1 + i % weights)
  row.a = now
end
row.c = keep(log, first_after(log, row.c, last - window), last)
row.b = weight_between(log, row.c, log.count)
row.ends = last + window
call('SET', KEYS[1], cmsgpack.pack(row.tag, row.a, row.b, row.c, FRESH, row.ends))
`

/** Microseconds of processor that a call takes the server: the least of some calls, a little apart, with a question or two. */
export async function serverTimeOf(
  server: RedisServer,
  calls: number,
  call: (index: number) => Promise<unknown>,
): Promise<number> {
  const costs: number[] = []
  for (let i = 0; i < calls; i++) {
    const before = await processorMicros(server)
    await call(i)
    costs.push((await processorMicros(server)) - before)
    await sleep(5)
  }
  return Math.round(Math.min(...costs))
}

async function processorMicros(server: RedisServer): Promise<number> {
  const info = await server.info('cpu')
  const { used_cpu_user_main_thread: user, used_cpu_sys_main_thread: system } = info
  return (Number(user) + Number(system)) * 1e6
}
