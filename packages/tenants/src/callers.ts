import type { Key, MaybePromise, Policy } from '@rl/core'
import { byIp, type KeyFunction, type RequestView } from '@rl/core/http'
import { HEADER, PROFILE_HEADER } from './check-options.js'
import { fault } from './fault.js'
import type { Member, RuledCaller } from './member.js'
import type { Snapshot } from './snapshot.js'
import type { Rules, TenantsOptions } from './types.js'

type Options<Ctx> = Pick<TenantsOptions<Ctx>, 'header' | 'profileHeader' | 'tenant' | 'fallback' | 'logger'>

/** Who asks: looked up once for each request, so that all that is decided on it comes from one state of the file. */
export class Callers<Ctx> {
  readonly #now: () => Snapshot
  readonly #header: string
  readonly #profileHeader: string
  readonly #tenant: TenantsOptions<Ctx>['tenant']
  readonly #fallback: KeyFunction<Ctx>
  readonly #decided = new WeakMap<object, RuledCaller>()

  constructor(now: () => Snapshot, options: Options<Ctx>) {
    const { header = HEADER, profileHeader = PROFILE_HEADER, tenant, fallback, logger } = options
    this.#now = now
    this.#header = header.toLowerCase()
    this.#profileHeader = profileHeader.toLowerCase()
    this.#tenant = tenant
    this.#fallback = fallback ?? byIp({ logger })
  }

  of(carrier: object): RuledCaller | undefined {
    return this.#decided.get(carrier)
  }

  callerOf(view: RequestView, ctx: Ctx): RuledCaller {
    const decided = this.#decided.get(view.carrier)
    if (decided !== undefined) return decided
    const caller = this.#memberOf(view, ctx).caller(view.header(this.#profileHeader)?.trim())
    this.#decided.set(view.carrier, caller)
    return caller
  }

  rules(): Rules<Ctx> {
    return {
      skip: (ctx, view) => this.callerOf(view, ctx).limit === null,
      key: (ctx, view) => this.#keyOf(this.callerOf(view, ctx), ctx, view),
      limit: (ctx, view) => limitOf(this.callerOf(view, ctx)),
    }
  }

  #memberOf(view: RequestView, ctx: Ctx): Member {
    const snapshot = this.#now()
    const id = this.#tenant?.(ctx, view)
    const known = id === undefined ? undefined : snapshot.tenants.get(id)
    if (known !== undefined) return known
    const value = view.header(this.#header)
    const key = this.#header === 'authorization' ? credentials(value) : value?.trim()
    return (key === undefined ? undefined : snapshot.find(key)) ?? snapshot.nobody
  }

  #keyOf({ tenant, profile }: RuledCaller, ctx: Ctx, view: RequestView): MaybePromise<Key | undefined> {
    if (tenant !== undefined) return `tenant:${inProfile(profile, tenant)}`
    const key = this.#fallback(ctx, view)
    if (typeof key !== 'object') return apart(key, profile)
    return key.then((found) => apart(found, profile))
  }
}

/** Names have no slash: what stands before it is the profile. */
function inProfile(profile: string | undefined, key: string): string {
  return profile === undefined ? key : `${profile}/${key}`
}

/** Of a caller that is no tenant: never the key of one that is, whatever the fallback takes from the request. */
function apart(key: Key | undefined, profile: string | undefined): Key | undefined {
  if (profile !== undefined && key !== undefined && key !== '') return `profile:${profile}/${key}`
  return typeof key === 'string' && /^(tenant|profile|other):/.test(key) ? `other:${key}` : key
}

function limitOf({ limit, profile, plan }: RuledCaller): readonly Policy[] {
  if (limit !== null) return limit
  throw fault(
    'skip',
    `profile "${profile}" of plan "${plan}" has no limit; take skip of rules() too, not key and limit alone`,
  )
}

const SCHEME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+ +(\S.*)$/

function credentials(authorization: string | undefined): string | undefined {
  return SCHEME.exec(authorization?.trim() ?? '')?.[1]
}
