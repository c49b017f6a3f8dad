// One contender in a process of its own, which asks one Redis. A message `{ keys, inFlight, ms }` has it decide for so long, so
// many at a time, and is answered with the rate, and the microseconds of a decision: CPU here, and commands in the server.
import { connectRedis } from '@rl/core/ioredis'
import { keyOf } from '../scenarios.mjs'
import { contenders } from './contenders.mjs'

const [name = '', port = ''] = process.argv.slice(2)
const KEYS = 10_000
/** Coprime to the number of keys: all come once, none after its neighbour. */
const STRIDE = 6181
const WAKE_MS = 150

/** @typedef {{ keys: 'one' | 'many', inFlight: number, ms: number }} Order */

const client = await connected()
const observer = await connected()
const decide = await /** @type {import('./contenders.mjs').Contender} */ (contenders[name]).make(client)
// Scripts are loaded, and ours learns the time of the server.
for (let i = 0; i < 3; i++) await decide('first')
process.once('disconnect', () => process.exit())
process.on('message', async (/** @type {Order} */ order) => {
  // It has been idle while others had their turns, the first of them for the longest.
  await run({ ...order, ms: WAKE_MS })
  await observer.config('RESETSTAT')
  const cpu = process.cpuUsage()
  const start = performance.now()
  const decisions = await run(order)
  const ms = performance.now() - start
  const { user, system } = process.cpuUsage(cpu)
  const server = await spent(decisions)
  process.send?.({ rate: (decisions / ms) * 1000, cpu: (user + system) / decisions, server })
})
process.send?.('ready')

async function connected() {
  const redis = connectRedis({ host: '127.0.0.1', port: Number(port) })
  await new Promise((resolve) => redis.once('ready', resolve))
  return redis
}

/** @param {Order} order */
async function run({ keys, inFlight, ms }) {
  const end = performance.now() + ms
  let decisions = 0
  let at = 0
  let sum = 0
  const lane = async () => {
    while (performance.now() < end) {
      at = (at + STRIDE) % KEYS
      sum += await decide(keys === 'one' ? '10.0.0.1' : keyOf(at))
      decisions++
    }
  }
  await Promise.all(Array.from({ length: inFlight }, lane))
  if (Number.isNaN(sum)) throw new Error(`${name} answered with something that is no number`)
  return decisions
}

/** Microseconds of the server a decision. What a script calls is within its own time. @param {number} decisions */
async function spent(decisions) {
  const info = await observer.info('commandstats')
  const stats = [...info.matchAll(/^cmdstat_(\S+?):calls=(\d+),usec=(\d+)/gm)].map(
    ([, command, calls, usec]) => ({
      command,
      calls: Number(calls),
      usec: Number(usec),
    }),
  )
  const [script] = stats.filter(({ command }) => command === 'evalsha')
  const sent = script ?? stats.find(({ command }) => command === 'incr')
  if (sent === undefined || Math.abs(sent.calls / decisions - 1) > 0.01) {
    throw new Error(`${name} sent something else than a command a decision:\n${info}`)
  }
  return sent.usec / decisions
}
