/**
 * What is decided. A limit of 1 is used up by the first call, so all that is measured is refused.
 * @typedef {{ keys: number, policies: import('./contenders.mjs').Policy[] }} Scenario
 */

const MINUTE = 60_000
const ENDLESS = 1_000_000_000

/** @type {Record<string, Scenario>} */
export const scenarios = {
  'one hot key': { keys: 1, policies: [{ limit: ENDLESS, windowMs: MINUTE }] },
  '100,000 keys, each string built anew': { keys: 100_000, policies: [{ limit: ENDLESS, windowMs: MINUTE }] },
  'all refused': { keys: 1, policies: [{ limit: 1, windowMs: 1440 * MINUTE }] },
  'three policies': {
    keys: 1,
    policies: [
      { limit: ENDLESS, windowMs: MINUTE },
      { limit: ENDLESS, windowMs: 10 * MINUTE },
      { limit: ENDLESS / 100, windowMs: 60 * MINUTE },
    ],
  },
}
