import type { Policy } from '@rl/core'

/** Who asks, and by which rules. */
export interface Caller {
  /** The tenant's id; undefined for a caller that is none. */
  readonly tenant: string | undefined
  /** The tenant's name from the file, `default` for a caller that is none: few and known, so fit for a metric's label. */
  readonly name: string
  readonly plan: string
  /** The profile that it chose; undefined for the plan's own limit. */
  readonly profile: string | undefined
}

/** With what is allowed; null: no limit. */
export interface RuledCaller extends Caller {
  readonly limit: readonly Policy[] | null
}

export interface Plan {
  readonly name: string
  readonly limit: readonly Policy[]
  readonly profiles: ReadonlyMap<string, readonly Policy[] | null>
}

/** The name of all who are no tenant. */
export const NOBODY = 'default'

/** One whom a plan is for: a tenant, or all who are none. */
export class Member {
  readonly tenant: string | undefined
  readonly name: string
  readonly plan: Plan
  /** As they stand in the file. */
  readonly keys: readonly string[]
  #plain: RuledCaller | undefined
  #profiled: Map<string, RuledCaller> | undefined

  constructor(tenant: string | undefined, given: Pick<Member, 'name' | 'plan' | 'keys'>) {
    this.tenant = tenant
    this.name = given.name
    this.plan = given.plan
    this.keys = given.keys
  }

  /** By the profile of that name if its plan lists it, else by the plan's own limit. One object each, made when needed. */
  caller(profile: string | undefined): RuledCaller {
    const limit = profile === undefined ? undefined : this.plan.profiles.get(profile)
    if (profile === undefined || limit === undefined) {
      this.#plain ??= this.#made(undefined, this.plan.limit)
      return this.#plain
    }
    this.#profiled ??= new Map()
    const known = this.#profiled.get(profile) ?? this.#made(profile, limit)
    this.#profiled.set(profile, known)
    return known
  }

  #made(profile: string | undefined, limit: RuledCaller['limit']): RuledCaller {
    const { tenant, name } = this
    return Object.freeze({ tenant, name, plan: this.plan.name, profile, limit })
  }
}
