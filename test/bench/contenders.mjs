// Who is measured in this process: what makes each of them decide once and hands out what it answered, as a number.
// Ours is read whole, the others as far as a middleware needs them: count and reset.

/**
 * @typedef {{ limit: number, windowMs: number }} Policy
 * @typedef {(key: string) => number | Promise<number>} Decide
 * @typedef {{ promises: boolean, make: (policies: readonly Policy[], keys: number) => Promise<Decide> }} Contender
 */

/** @type {Record<string, Contender>} */
export const contenders = {
  '@rl/core': { promises: false, make: ours },
  'hono-rate-limiter': { promises: false, make: hono },
  'express-rate-limit': { promises: true, make: express },
  'rate-limiter-flexible': { promises: true, make: flexible },
  'a Map': { promises: false, make: plainMap },
  'lru-cache': { promises: false, make: lruCache },
}

/** @param {readonly Policy[]} policies @param {number} keys @returns {Promise<Decide>} */
async function ours(policies, keys) {
  const { createLimiter, memoryStore, slidingWindow } = await import('@rl/core')
  const limiter = createLimiter({
    limit: policies.map(({ limit, windowMs }) => slidingWindow({ limit, window: windowMs })),
    // An eighth is kept free for keys that are used up.
    store: memoryStore({ maxKeys: Math.max(100_000, Math.ceil((keys * 8) / 7)) }),
  })
  return (key) => readWhole(/** @type {import('@rl/core').Counted} */ (limiter.consume(key)))
}

/** @param {import('@rl/core').Counted} decision */
function readWhole(decision) {
  const { counted, allowed, source, reason, policy, cost, limit, remaining, used, policies, receipt } = decision
  const { resetAfterMs, retryAfterMs } = decision
  const texts = source.length + reason.length + policy.length
  const numbers = cost + limit + remaining + used + (resetAfterMs ?? 0) + (retryAfterMs ?? 0)
  const [first] = policies
  const rest = (counted ? 1 : 0) + (allowed ? 2 : 0) + (receipt === null ? 0 : 4) + (first?.remaining ?? 0)
  return texts + numbers + rest
}

/** @param {readonly Policy[]} policies @returns {Promise<Decide>} */
async function hono(policies) {
  const { MemoryStore } = await import('hono-rate-limiter')
  const stores = policies.map(({ windowMs }) => {
    const store = new MemoryStore()
    store.init(/** @type {any} */ ({ windowMs }))
    return store
  })
  const [only] = stores
  if (stores.length === 1 && only !== undefined) return (key) => readClient(only.increment(key))
  return (key) => {
    let sum = 0
    for (const store of stores) sum += readClient(store.increment(key))
    return sum
  }
}

/** @param {readonly Policy[]} policies @returns {Promise<Decide>} */
async function express(policies) {
  const { MemoryStore } = await import('express-rate-limit')
  const stores = policies.map(({ windowMs }) => {
    const store = new MemoryStore()
    store.init(/** @type {any} */ ({ windowMs }))
    return store
  })
  const [only] = stores
  if (stores.length === 1 && only !== undefined) return async (key) => readClient(await only.increment(key))
  return async (key) => {
    let sum = 0
    for (const store of stores) sum += readClient(await store.increment(key))
    return sum
  }
}

/** @param {{ totalHits: number, resetTime?: Date | undefined }} client */
function readClient({ totalHits, resetTime }) {
  return totalHits + (resetTime?.getTime() ?? 0)
}

/** @param {readonly Policy[]} policies @returns {Promise<Decide>} */
async function flexible(policies) {
  const { RateLimiterMemory } = await import('rate-limiter-flexible')
  const limiters = policies.map(
    ({ limit, windowMs }) => new RateLimiterMemory({ points: limit, duration: windowMs / 1000 }),
  )
  return async (key) => {
    let sum = 0
    for (const limiter of limiters) {
      // It refuses by rejecting with the same kind of answer.
      const { remainingPoints, msBeforeNext } = await limiter.consume(key).catch((answer) => answer)
      sum += remainingPoints + msBeforeNext
    }
    return sum
  }
}

/** @param {readonly Policy[]} policies @returns {Promise<Decide>} */
async function plainMap(policies) {
  return counting(policies.map(() => new Map()))
}

/** @param {readonly Policy[]} policies @param {number} keys @returns {Promise<Decide>} */
async function lruCache(policies, keys) {
  const { LRUCache } = await import('lru-cache')
  return counting(policies.map(() => new LRUCache({ max: Math.max(100_000, keys) })))
}

/** @typedef {{ get: (key: string) => { count: number } | undefined, set: (key: string, value: { count: number }) => unknown }} Counters */

/** @param {readonly Counters[]} all @returns {Decide} */
function counting(all) {
  return (key) => {
    let sum = 0
    for (const counters of all) {
      let counter = counters.get(key)
      if (counter === undefined) {
        counter = { count: 0 }
        counters.set(key, counter)
      }
      sum += ++counter.count
    }
    return sum
  }
}
