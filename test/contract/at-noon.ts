import { fixedWindow, type MemoryStore, memoryStore, type Policy } from '@rl/core'

/** The first millisecond of a minute: windows that are aligned to the epoch begin here. */
export const NOON = 1_700_000_040_000

/** A store whose time stands still, so that every field is known beforehand. */
export function storeAtNoon(): MemoryStore {
  return memoryStore({ clock: () => NOON })
}

/** A fixed window of a minute. */
export function perMinute(limit: number): Policy {
  return fixedWindow({ limit, window: '1m' })
}

/** A limiter of so many requests a minute on a store of its own, at noon. */
export function limitAtNoon(limit: number): { readonly limit: Policy; readonly store: MemoryStore } {
  return { limit: perMinute(limit), store: storeAtNoon() }
}
