// Who is measured in this process: what makes each of them decide once, and reads what it answered.
// Ours is read whole, the others as far as a middleware needs them: count and reset.

/**
 * @typedef {{ limit: number, windowMs: number }} Policy
 * @typedef {(key: string) => number | Promise<number>} Decide the sum of what was read
 * @typedef {{ promises: boolean, make: (policies: readonly Policy[], keys: number) => Decide | Promise<Decide> }} Contender
 */

/** @type {Record<string, Contender>} */
export const contenders = {
  '@rl/core': { promises: false, make: ours },
  'hono-rate-limiter': { promises: false, make: hono },
  'express-rate-limit': { promises: true, make: express },
  'rate-limiter-flexible': { promises: true, make: flexible },
  'bare lru-cache': { promises: false, make: lruCache },
  'bare Map': { promises: false, make: plainMap },
}

/** @param {readonly Policy[]} policies @param {number} keys @returns {Promise<Decide>} */
async function ours(policies, keys) {
  const { createLimiter, memoryStore, slidingWindow } = await import('@rl/core')
  const limiter = createLimiter({
    limit: policies.map(({ limit, windowMs }) => slidingWindow({ limit, window: windowMs })),
    // An eighth of the room is for keys that are used up.
    store: memoryStore({ maxKeys: Math.max(100_000, Math.ceil((keys * 8) / 7)) }),
  })
  return (key) => readWhole(/** @type {import('@rl/core').Counted} */ (limiter.consume(key)))
}

/** @param {import('@rl/core').Counted} decision */
function readWhole(decision) {
  const { counted, allowed, source, reason, policy, cost, limit, remaining, used } = decision
  const { resetAfterMs, retryAfterMs, policies, receipt } = decision
  const flags = (counted ? 1 : 0) + (allowed ? 1 : 0) + (receipt === null ? 0 : 1)
  const texts = source.length + reason.length + policy.length
  const numbers = cost + limit + remaining + used + (resetAfterMs ?? 0) + (retryAfterMs ?? 0)
  return flags + texts + numbers + (policies[0]?.remaining ?? 0)
}

/** @param {readonly Policy[]} policies @returns {Promise<Decide>} */
async function hono(policies) {
  const { MemoryStore } = await import('hono-rate-limiter')
  const [first, ...others] = policies.map((policy) => started(new MemoryStore(), policy))
  if (first === undefined || others.length === 0) return (key) => readClient(first?.increment(key))
  return (key) =>
    others.reduce((sum, store) => sum + readClient(store.increment(key)), readClient(first.increment(key)))
}

/** @param {readonly Policy[]} policies @returns {Promise<Decide>} */
async function express(policies) {
  const { MemoryStore } = await import('express-rate-limit')
  const stores = policies.map((policy) => started(new MemoryStore(), policy))
  return async (key) => {
    let sum = 0
    for (const store of stores) sum += readClient(await store.increment(key))
    return sum
  }
}

/** @template {{ init: (options: any) => void }} S @param {S} store @param {Policy} policy */
function started(store, { windowMs }) {
  store.init({ windowMs })
  return store
}

/** @param {{ totalHits: number, resetTime?: Date | undefined } | undefined} client */
function readClient(client) {
  return (client?.totalHits ?? 0) + (client?.resetTime?.getTime() ?? 0)
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
      // It refuses by rejecting, with the same kind of answer.
      const { remainingPoints, msBeforeNext } = await limiter.consume(key).catch((answer) => answer)
      sum += remainingPoints + msBeforeNext
    }
    return sum
  }
}

/** @param {readonly Policy[]} policies @returns {Decide} */
function plainMap(policies) {
  return counting(policies.map(() => new Map()))
}

/** @param {readonly Policy[]} policies @param {number} keys @returns {Promise<Decide>} */
async function lruCache(policies, keys) {
  const { LRUCache } = await import('lru-cache')
  return counting(policies.map(() => new LRUCache({ max: Math.max(100_000, keys) })))
}

/**
 * @typedef {{ count: number }} Counter
 * @typedef {{ get: (key: string) => Counter | undefined, set: (key: string, value: Counter) => unknown }} Counters
 */

/** @param {readonly Counters[]} all @returns {Decide} */
function counting(all) {
  return (key) => {
    let sum = 0
    for (const counters of all) {
      const counter = counters.get(key) ?? { count: 0 }
      if (counter.count === 0) counters.set(key, counter)
      sum += ++counter.count
    }
    return sum
  }
}
