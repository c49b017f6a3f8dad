import { isInProcess, localStore } from './memory/memory-store.js'
import { Settled } from './memory/settled.js'
import { configError } from './model/errors.js'
import { type Limit, toPolicies } from './model/limit.js'
import type { Logger } from './model/logger.js'
import { type Policy, scaled } from './model/policy.js'
import type { Store } from './model/store.js'
import { checkOptions } from './model/suggest.js'
import type { Standby } from './resilience/fallback.js'
import { otherPolicies } from './resilience/other-policies.js'
import { Repayment, type RepaymentOptions } from './resilience/repayment.js'

/**
 * Who decides when the store can't. `'local'`: a limit in this process, with the same policies. `{ local }`: with others.
 * `{ share }`: with this fraction of them, such as 1 / the number of instances. `{ repay: true }`: what was admitted so is
 * charged to the store when it is back. `'open'`: all pass, uncounted. `'closed'`: none pass; over HTTP the answer is 503.
 */
export type OnStoreFailure =
  | 'local'
  | 'open'
  | 'closed'
  | {
      readonly local?: Limit | undefined
      readonly share?: number | undefined
      /** @default false */
      readonly repay?: boolean | undefined
    }

/** What the option asks for. @throws RateLimitError `RL_CONFIG` */
export function standbyOf(option: OnStoreFailure, logger: Logger): Standby {
  if (option === 'open' || option === 'closed') return { decided: option }
  const store = localStore(logger)
  if (option === 'local') return { decided: 'local', store }
  if (typeof option !== 'object' || option === null) {
    throw configError(
      'onStoreFailure',
      option,
      'takes "local", "open", "closed", { local: limit }, { share: 0.25 } or { repay: true }',
    )
  }
  checkOptions('onStoreFailure', option, ['local', 'share', 'repay'])
  return { decided: 'local', store: withOptions(store, option) }
}

/** Charges what the stand-by admits, if the option asks for that. @throws RateLimitError `RL_CONFIG` */
export function repaymentOf(
  option: OnStoreFailure,
  store: Store,
  options: Omit<RepaymentOptions, 'isFirst'>,
): Repayment | undefined {
  const { repay = false } = typeof option === 'object' ? option : {}
  if (typeof repay !== 'boolean') throw configError('onStoreFailure: repay', repay, 'takes true or false')
  if (!repay || isInProcess(store)) return undefined
  if (typeof store.repay !== 'function') {
    throw configError('onStoreFailure: repay', repay, 'needs a store that has repay(), such as redisStore()')
  }
  const settled = new Settled()
  return new Repayment(store, { ...options, isFirst: (id) => settled.mark(id) })
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
