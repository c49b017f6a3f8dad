import { configError, RateLimitError } from './model/errors.js'
import type { Policy } from './model/policy.js'
import type { Store } from './model/store.js'
import { Outage } from './resilience/outage.js'

interface Entry {
  readonly signature: string
  readonly named: boolean
  users: number
}

/** What limiters that count in one store have in common. */
interface Shared {
  /** Which names are taken: two limiters that share a counter must mean the same by it. */
  readonly names: Map<string, Entry>
  readonly outage: Outage
}

/** The only state of this module. */
const SHARED = new WeakMap<Store, Shared>()

function sharedOf(store: Store): Shared {
  const shared = SHARED.get(store) ?? { names: new Map<string, Entry>(), outage: new Outage() }
  SHARED.set(store, shared)
  return shared
}

/** What is said when the store fails, said once for all limiters on it. */
export function outageOf(store: Store): Outage {
  return sharedOf(store).outage
}

/** The name of a limiter that was given none. */
export const UNNAMED = 'default'

/**
 * Takes a name on a store; call the result to give it back. The same name with the same policies is one group.
 * @throws RateLimitError `RL_CONFIG` for the same name with other policies, or a second limiter without a name.
 */
export function takeName(store: Store, name: string | undefined, policies: readonly Policy[]): () => void {
  const { names } = sharedOf(store)
  const key = name ?? UNNAMED
  const signature = JSON.stringify(policies)
  const taken = names.get(key)
  if (taken !== undefined && !(taken.named && name !== undefined)) {
    throw new RateLimitError(
      'RL_CONFIG',
      'name: this store already counts for a limiter without a name, so their counts would mix. ' +
        'Give each limiter on a shared store a name: name: "login".',
    )
  }
  if (taken !== undefined && taken.signature !== signature) {
    throw configError(
      'name',
      key,
      'is taken on this store by a limiter with other policies; choose another name',
    )
  }
  const entry = taken ?? { signature, named: name !== undefined, users: 0 }
  entry.users++
  names.set(key, entry)
  return () => {
    entry.users--
    if (entry.users === 0) names.delete(key)
  }
}
