import { localStore } from './memory/memory-store.js'
import { configError } from './model/errors.js'
import { type Limit, toPolicies } from './model/limit.js'
import type { Logger } from './model/logger.js'
import { type Policy, scaled } from './model/policy.js'
import type { Store } from './model/store.js'
import { checkOptions } from './model/suggest.js'
import type { Standby } from './resilience/fallback.js'
import { otherPolicies } from './resilience/other-policies.js'

/**
 * Who decides when the store can't. `'local'`: a limit in this process, with the same policies. `{ local }`: with others.
 * `{ share }`: with this fraction of them, such as 1 / the number of instances. `'open'`: all pass, uncounted.
 * `'closed'`: none pass; over HTTP the answer is 503.
 */
export type OnStoreFailure =
  | 'local'
  | 'open'
  | 'closed'
  | { readonly local?: Limit | undefined; readonly share?: number | undefined }

/** What the option asks for. @throws RateLimitError `RL_CONFIG` */
export function standbyOf(option: OnStoreFailure, logger: Logger): Standby {
  if (option === 'open' || option === 'closed') return { decided: option }
  const store = localStore(logger)
  if (option === 'local') return { decided: 'local', store }
  if (typeof option !== 'object' || option === null) {
    throw configError(
      'onStoreFailure',
      option,
      'takes "local", "open", "closed", { local: limit } or { share: 0.25 }',
    )
  }
  checkOptions('onStoreFailure', option, ['local', 'share'])
  return { decided: 'local', store: withOptions(store, option) }
}

function withOptions(store: Store, { local, share }: Exclude<OnStoreFailure, string>): Store {
  if (share !== undefined && !(typeof share === 'number' && share > 0 && share <= 1)) {
    throw configError('onStoreFailure: share', share, 'is above 0 and at most 1')
  }
  const own = local === undefined ? undefined : toPolicies(local, 'onStoreFailure: local')
  if (own === undefined && share === undefined) return store
  const known = new WeakMap<readonly Policy[], readonly Policy[]>()
  return otherPolicies(store, (asked) => {
    const ready = known.get(asked) ?? (own ?? asked).map((policy) => scaled(policy, share ?? 1))
    known.set(asked, ready)
    return ready
  })
}
