// What is decided, and for whom.

const MINUTE = 60_000
const DAY = 1440 * MINUTE
/** More than any run asks for, and exact in a sliding window of an hour. */
const ENDLESS = 1_000_000_000

/**
 * `keys`: `one`, `known` (100,000 that were seen before) or `new` (100,000 that were not, to a store that is new too).
 * @typedef {{ keys: 'one' | 'known' | 'new', policies: readonly import('./contenders.mjs').Policy[] }} Scenario
 */

/** @type {Record<string, Scenario>} */
export const scenarios = {
  'one hot key': { keys: 'one', policies: [{ limit: ENDLESS, windowMs: MINUTE }] },
  '100,000 new keys': { keys: 'new', policies: [{ limit: ENDLESS, windowMs: MINUTE }] },
  '100,000 known keys': { keys: 'known', policies: [{ limit: ENDLESS, windowMs: MINUTE }] },
  // The first call uses it up.
  'all refused': { keys: 'one', policies: [{ limit: 1, windowMs: DAY }] },
  'three policies': {
    keys: 'one',
    policies: [
      { limit: ENDLESS, windowMs: MINUTE },
      { limit: ENDLESS, windowMs: 10 * MINUTE },
      { limit: ENDLESS, windowMs: 60 * MINUTE },
    ],
  },
}

const NETWORKS = Array.from({ length: 400 }, (_, i) => `10.${i >> 8}.${i & 255}.`)
const HOSTS = Array.from({ length: 250 }, (_, i) => String(i))

export const KEYS = NETWORKS.length * HOSTS.length

/** The i-th of 100,000 addresses: a new string each time, as from a socket. @param {number} i */
export function keyOf(i) {
  return /** @type {string} */ (NETWORKS[Math.floor(i / HOSTS.length)]) + HOSTS[i % HOSTS.length]
}
