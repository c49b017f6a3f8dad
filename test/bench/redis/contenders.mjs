// Who asks Redis in this process. Ours is read whole, the others as far as a middleware needs them: count and reset.
// All have a client of ioredis 6 with the same settings, those of our `connectRedis`.

/**
 * @typedef {import('ioredis').Redis} Client
 * @typedef {(key: string) => Promise<number>} Decide the sum of what was read
 * @typedef {{ kind: 'ours' | 'peer' | 'reference', make: (client: Client) => Promise<Decide> }} Contender
 */

const WINDOW_MS = 86_400_000
/** Exact in a sliding window of a day, and more than any run asks for. */
const LIMIT = 50_000_000

/** @type {Record<string, Contender>} */
export const contenders = {
  'ours, fixed window': ours(({ fixedWindow }) => fixedWindow({ limit: LIMIT, window: WINDOW_MS })),
  'ours, sliding window': ours(({ slidingWindow }) => slidingWindow({ limit: LIMIT, window: WINDOW_MS })),
  'ours, token bucket': ours(({ tokenBucket }) => tokenBucket({ capacity: LIMIT, per: WINDOW_MS })),
  // Of a second, so that entries end as fast as others come.
  'ours, sliding log': ours(({ slidingLog }) => slidingLog({ limit: 1_000_000, window: '1s' })),
  'rate-limiter-flexible': { kind: 'peer', make: flexible },
  'rate-limit-redis': { kind: 'peer', make: express },
  'hono-rate-limiter': { kind: 'peer', make: hono },
  '@fastify/rate-limit': { kind: 'peer', make: fastify },
  'bare INCR': { kind: 'reference', make: async (client) => (key) => client.incr(`incr:${key}`) },
  'trivial EVALSHA': { kind: 'reference', make: trivial },
}

/** @param {(core: typeof import('@rl/core')) => import('@rl/core').Policy} policyOf @returns {Contender} */
function ours(policyOf) {
  return {
    kind: 'ours',
    async make(client) {
      const core = await import('@rl/core')
      const { redisStore } = await import('@rl/core/redis')
      const policy = policyOf(core)
      // Something else on the machine may hold up ten processes that start: no outage.
      const store = redisStore({ client, deadlineMs: 2000 })
      const limiter = core.createLimiter({ name: policy.kind, limit: policy, store })
      return async (key) => {
        const decision = await limiter.consume(key)
        if (decision.source !== 'store' || !decision.counted)
          throw new Error(`${decision.source}, not the store, decided`)
        return readWhole(decision)
      }
    },
  }
}

/** @param {import('@rl/core').Counted} decision */
function readWhole(decision) {
  const { allowed, reason, policy, cost, limit, remaining, used } = decision
  const { resetAfterMs, retryAfterMs, policies, receipt } = decision
  const flags = (allowed ? 1 : 0) + (receipt === null ? 0 : 1)
  const numbers = cost + limit + remaining + used + (resetAfterMs ?? 0) + (retryAfterMs ?? 0)
  return flags + reason.length + policy.length + numbers + (policies[0]?.remaining ?? 0)
}

/** @param {Client} client @returns {Promise<Decide>} */
async function flexible(client) {
  const { RateLimiterRedis } = await import('rate-limiter-flexible')
  const limiter = new RateLimiterRedis({ storeClient: client, points: LIMIT, duration: WINDOW_MS / 1000 })
  return async (key) => {
    const { remainingPoints, msBeforeNext } = await limiter.consume(key)
    return remainingPoints + msBeforeNext
  }
}

/** The store of express-rate-limit. @param {Client} client @returns {Promise<Decide>} */
async function express(client) {
  const { RedisStore } = await import('rate-limit-redis')
  const store = new RedisStore({
    sendCommand: (command, ...args) => /** @type {Promise<any>} */ (client.call(command, ...args)),
  })
  await store.init(/** @type {import('express-rate-limit').Options} */ ({ windowMs: WINDOW_MS }))
  return async (key) => readClient(await store.increment(key))
}

/** @param {Client} client @returns {Promise<Decide>} */
async function hono(client) {
  const { RedisStore } = await import('hono-rate-limiter')
  const store = new RedisStore({
    client: {
      scriptLoad: (script) => /** @type {Promise<string>} */ (client.script('LOAD', script)),
      evalsha: (/** @type {string} */ sha, /** @type {string[]} */ keys, /** @type {any[]} */ args) =>
        /** @type {Promise<any>} */ (client.evalsha(sha, keys.length, ...keys, ...args)),
      decr: (key) => client.decr(key),
      del: (key) => client.del(key),
    },
  })
  store.init(/** @type {any} */ ({ windowMs: WINDOW_MS }))
  return async (key) => readClient(await store.increment(key))
}

/** @param {{ totalHits: number, resetTime?: Date | undefined }} client */
function readClient({ totalHits, resetTime }) {
  return totalHits + (resetTime?.getTime() ?? 0)
}

/** A string to the compiler: its types add a second `config.rateLimit` to Fastify's. @type {string} */
const STORE_OF_FASTIFY = '@fastify/rate-limit/store/RedisStore.js'

/** As its plugin asks its store. @param {Client} client @returns {Promise<Decide>} */
async function fastify(client) {
  const { default: RedisStore } = await import(STORE_OF_FASTIFY)
  const store = new RedisStore(false, false, client)
  return async (key) => {
    const { current, ttl } = await new Promise((resolve, reject) => {
      const answer = (/** @type {Error | null} */ error, /** @type {unknown} */ result) =>
        error ? reject(error) : resolve(result)
      store.incr(key, answer, WINDOW_MS, LIMIT)
    })
    return current + ttl
  }
}

/** What no script can do without. @param {Client} client @returns {Promise<Decide>} */
async function trivial(client) {
  const sha = /** @type {string} */ (await client.script('LOAD', 'return 1'))
  return async (key) => Number(await client.evalsha(sha, 1, `trivial:${key}`))
}
