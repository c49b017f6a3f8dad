import { hash } from 'node:crypto'
import type { Policy } from '@rl/core'
import type { Breath } from './breath.js'
import { at, fault, listed, quoted } from './fault.js'
import { toPolicies } from './limit-form.js'
import { Member, NOBODY, type Plan } from './member.js'
import { checkName, toDocument, toPlan, toTenant } from './schema.js'

/** One state of the file. Nothing in it changes. */
export interface Snapshot {
  readonly plans: ReadonlyMap<string, Plan>
  readonly tenants: ReadonlyMap<string, Member>
  /** All who are no tenant. */
  readonly nobody: Member
  /** The tenant that has an API key. */
  find(key: string): Member | undefined
}

/** @throws RateLimitError `RL_CONFIG` with the path of the first fault. */
export async function toSnapshot(value: unknown, breath: Breath): Promise<Snapshot> {
  const document = toDocument(value)
  const plans = new Map<string, Plan>()
  for (const [name, form] of Object.entries(document.plans)) {
    plans.set(name, planOf(name, form))
    if (breath.isDue()) await breath.rest()
  }
  const nobody = new Member(undefined, {
    name: NOBODY,
    plan: planAt('default', document.default, plans),
    keys: [],
  })
  const tenants = new Map<string, Member>()
  const [names, keys] = [new Names(), new Keys()]
  const forms = document.tenants ?? {}
  // Not their entries: a list of all of them is made in one piece.
  for (const id of Object.keys(forms)) {
    const tenant = tenantOf(id, forms[id], plans)
    names.take(tenant)
    keys.take(tenant)
    tenants.set(id, tenant)
    if (breath.isDue()) await breath.rest()
  }
  await keys.checkHashed(breath)
  return { plans, tenants, nobody, find: (key) => keys.find(key) }
}

function planOf(name: string, form: unknown): Plan {
  const path = at('plans', name)
  checkName(name, path)
  const { limit, profiles = {} } = toPlan(form, path)
  const read = Object.entries(profiles).map(([profile, one]): [string, readonly Policy[] | null] => {
    const place = at(at(path, 'profiles'), profile)
    checkName(profile, place)
    return [profile, one === null ? null : toPolicies(one, place)]
  })
  return { name, limit: toPolicies(limit, at(path, 'limit')), profiles: new Map(read) }
}

function planAt(path: string, name: string, plans: ReadonlyMap<string, Plan>): Plan {
  const plan = plans.get(name)
  if (plan !== undefined) return plan
  throw fault(path, `names no plan ${quoted(name)}; plans are ${listed([...plans.keys()])}`)
}

function tenantOf(id: string, form: unknown, plans: ReadonlyMap<string, Plan>): Member {
  const path = at('tenants', id)
  checkName(id, path)
  const { plan, name = id, keys = [] } = toTenant(form, path)
  return new Member(id, { name, plan: planAt(at(path, 'plan'), plan, plans), keys })
}

/** No two tenants look like one in a log or a metric. */
class Names {
  readonly #owners = new Map<string, string>()

  take({ tenant = '', name }: Member): void {
    const path = at(at('tenants', tenant), 'name')
    if (name === NOBODY) throw fault(path, `can't be "${NOBODY}", which names all who are no tenant`)
    const owner = this.#owners.get(name)
    if (owner !== undefined) {
      const from = [owner, tenant].includes(name) ? '; a tenant without a name has its id for one' : ''
      throw fault(path, `${quoted(name)} is the name of ${at('tenants', owner)} too${from}`)
    }
    this.#owners.set(name, tenant)
  }
}

const HASH = /^sha256:([\da-f]{64})$/i
/** What is meant as a hash: `sha-256:…`, `sha512:…`, `sha256=…`, or without anything between. */
const HASH_LIKE = /^sha(?:[-_]?\d{1,3}[^\dA-Za-z]|[:=]|[-_]?\d{0,3}[\da-f]{64}$)/i
const HASH_ADVICE =
  'must be sha256: and 64 hex digits, or a key in clear that begins otherwise; make a hash with printf %s "$KEY" | sha256sum'

/**
 * Tenants by API key. A Map compares what it looks for only with keys of the same seeded hash, so the time that it takes
 * tells nothing of how much of a key was right; what stands as a hash is found by the hash of what was sent.
 */
class Keys {
  readonly #clear = new Map<string, Member>()
  readonly #hashed = new Map<string, Member>()

  find(key: string): Member | undefined {
    const member = this.#clear.get(key)
    return member === undefined && this.#hashed.size > 0 ? this.#hashed.get(sha256(key)) : member
  }

  take(tenant: Member): void {
    for (const [i, key] of tenant.keys.entries()) {
      const digest = HASH.exec(key)?.[1]?.toLowerCase()
      const place = keyPath(tenant, i)
      if (digest === undefined && HASH_LIKE.test(key)) throw fault(place, HASH_ADVICE)
      const [map, text] = digest === undefined ? [this.#clear, key] : [this.#hashed, digest]
      const owner = map.get(text)
      if (owner !== undefined) throw fault(place, `is a key of ${at('tenants', owner.tenant ?? '')} already`)
      map.set(text, tenant)
    }
  }

  /** A key in clear and its hash are one key. */
  async checkHashed(breath: Breath): Promise<void> {
    if (this.#hashed.size === 0) return
    for (const [key, tenant] of this.#clear) {
      const owner = this.#hashed.get(sha256(key))
      if (owner !== undefined) {
        const place = keyPath(tenant, tenant.keys.indexOf(key))
        throw fault(place, `is in clear what ${at('tenants', owner.tenant ?? '')} has as a hash`)
      }
      if (breath.isDue()) await breath.rest()
    }
  }
}

function keyPath({ tenant = '' }: Member, i: number): string {
  return at(at(at('tenants', tenant), 'keys'), i)
}

function sha256(text: string): string {
  return hash('sha256', text, 'hex')
}
