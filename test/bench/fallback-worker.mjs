// One way to decide in this process, in a process of its own: prints the nanoseconds of a decision.
import { createLimiter, memoryStore } from '@rl/core'
import { redisStore } from '@rl/core/redis'
import { quickest } from './quickest.mjs'
import { keyOf } from './scenarios.mjs'

const [way = '', keys = ''] = process.argv.slice(2)
/** Fewer than a stand-in keeps. */
const KEYS = 50_000
const DECISIONS = 50_000
const STRIDE = 30_011

const limit = '1000000000/1m'
const logger = { warn() {}, error() {} }
const lost = () => Promise.reject(new Error('Connection is closed.'))
const client = { status: 'ready', evalshaBuffer: lost, evalBuffer: lost, del: lost }

/** @type {Record<string, () => Promise<import('@rl/core').Limiter> | import('@rl/core').Limiter>} */
const ways = {
  'in memory': () => createLimiter({ limit, store: memoryStore() }),
  'local, breaker open': () => open({}),
  'local, client not ready': () =>
    createLimiter({ limit, logger, store: redisStore({ client: { ...client, status: 'reconnecting' } }) }),
  'local by a share, breaker open': () => open({ onStoreFailure: { share: 0.5 } }),
  'open, breaker open': () => open({ onStoreFailure: 'open' }),
}

/** @param {Partial<import('@rl/core').LimiterOptions>} options */
async function open(options) {
  const store = redisStore({ client, logger })
  const limiter = createLimiter({ limit, logger, store, ...options })
  for (let i = 0; i < 5; i++) await limiter.consume('first')
  if (store.available?.() !== false) throw new Error('the breaker is not open')
  return limiter
}

const limiter = await /** @type {() => import('@rl/core').Limiter} */ (ways[way])()
console.log(JSON.stringify({ value: await quickest(DECISIONS, batch) }))
process.exit()

function batch() {
  let sum = 0
  for (let i = 0, at = 0; i < DECISIONS; i++, at = (at + STRIDE) % KEYS) {
    const decision = /** @type {import('@rl/core').Decision} */ (
      limiter.consume(keys === 'one' ? '10.0.0.1' : keyOf(at))
    )
    sum += decision.source.length + (decision.counted ? decision.remaining : 1)
  }
  return sum
}
