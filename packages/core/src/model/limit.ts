import { formatDuration } from './duration.js'
import { configError } from './errors.js'
import { checkName } from './name.js'
import { type Policy, type PolicyLike, toPolicy } from './policy.js'

/** One policy, several, or several by name. Several are one decision: all admit, or none is charged. */
export type Limit = PolicyLike | readonly PolicyLike[] | Readonly<Record<string, PolicyLike>>

/** A decision reports on each policy, and a subject's state holds a row for each. */
export const MAX_POLICIES = 16

/**
 * The named policies of a `limit` option; a policy without a name is called after its window (`'1m'`).
 * @throws RateLimitError `RL_CONFIG` when the option is no limit, is empty, or has two policies that nothing tells apart.
 */
export function toPolicies(limit: unknown, option = 'limit'): readonly Policy[] {
  const policies = isRecord(limit) ? byName(limit, option) : inOrder(limit, option)
  if (policies.length === 0 || policies.length > MAX_POLICIES) {
    throw configError(option, limit, `takes 1 to ${MAX_POLICIES} policies`)
  }
  return Object.freeze(policies)
}

/** What makes two policies share a counter: never the limit, so that a raised limit keeps what was counted. */
export function identityOf(policy: Policy): string {
  const align = policy.kind === 'fixed-window' ? policy.align : ''
  return `${policy.name}|${policy.kind}|${align}|${policy.windowMs}`
}

function isRecord(limit: unknown): limit is Readonly<Record<string, unknown>> {
  return typeof limit === 'object' && limit !== null && !Array.isArray(limit) && !('kind' in limit)
}

function byName(limit: Readonly<Record<string, unknown>>, option: string): Policy[] {
  return Object.entries(limit).map(([name, value]) => {
    checkName(name, `${option}: policy name`)
    return named(toPolicy(value, `${option}.${name}`), name)
  })
}

function inOrder(limit: unknown, option: string): Policy[] {
  const values: readonly unknown[] = Array.isArray(limit) ? limit : [limit]
  const taken = new Set<string>()
  return values.map((value) => {
    const policy = toPolicy(value, option)
    const own = ownName(value, option)
    const window = formatDuration(policy.windowMs)
    const long = `${window}-${policy.kind}`
    const name = own ?? (taken.has(window) ? long : window)
    if (taken.has(name)) {
      const twins = own === undefined ? `of one kind over ${window}` : `with the name "${own}"`
      throw configError(option, limit, `has two policies ${twins}; name them: { burst: …, daily: … }`)
    }
    taken.add(name)
    if (own === undefined) taken.add(long)
    return named(policy, name)
  })
}

/** A policy that has a name, such as one of `limiter.policies`, keeps it. */
function ownName(value: unknown, option: string): string | undefined {
  const { name = '' } = value as Partial<Policy>
  return name === '' ? undefined : checkName(name, `${option}: policy name`)
}

function named(policy: Policy, name: string): Policy {
  return Object.freeze({ ...policy, name })
}
