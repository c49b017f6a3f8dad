import { told } from './decision-events.js'
import { type ConsumeOptions, type Limiter, type LimiterParts, PARTS } from './limiter-types.js'
import { decisionChannel } from './model/channel.js'
import type { Charge } from './model/charge.js'
import { type Counted, type Decision, decisionOf, type Uncounted } from './model/decision.js'
import { configError, type RateLimitError } from './model/errors.js'
import type { Key } from './model/key.js'
import { all, chain } from './model/maybe-promise.js'
import type { MaybePromise, Store } from './model/store.js'
import { checkOptions } from './model/suggest.js'
import { Fallback } from './resilience/fallback.js'

/** One limiter's part in a decision over several. */
export interface ConsumeItem extends ConsumeOptions {
  readonly limiter: Limiter
  readonly key: Key
}

/** An item with what it asks of the store. */
interface Asked {
  readonly limiter: Limiter
  readonly safe: Store
  readonly charge: Charge
}

/** What one call can hold. */
type Group = readonly [Asked, ...Asked[]]

/**
 * Several limiters, one decision: all admit, or none is charged. On one server, and where all keys have one cluster slot,
 * that is one call and exact. Elsewhere in a cluster, and on different stores, they are asked in the order of the list, so
 * put the narrow ones first; on a refusal what was charged is given back in the window it was charged in, and those that
 * were not asked yet are asked for their wait. That never admits too much, but for that moment others see the charge, and
 * it stays when its store fails before it is given back. When a store fails the strictest `onStoreFailure` of its limiters
 * wins: one `'closed'` closes.
 * @throws RateLimitError `RL_CONFIG` for the same limiter and key twice, or one name on two stores
 */
export function consumeAll(items: readonly ConsumeItem[]): MaybePromise<Decision> {
  if (!Array.isArray(items)) {
    throw configError('consumeAll', items, 'takes a list of items: [{ limiter, key }, …]')
  }
  const asked = items.flatMap(askedOf)
  checkTogether(asked)
  const groups = groupsOf(asked)
  const [first] = groups
  if (first === undefined) return ALL_OFF
  const decide = () => (groups.length === 1 ? askGroup(first, 'ask') : inTurn(groups, 'ask', askGroup))
  return decisionChannel.hasSubscribers ? told(first[0].limiter, 'ask', decide) : decide()
}

/** Of limiters that are all `noopLimiter()`. */
const ALL_OFF: Uncounted = { counted: false, allowed: true, source: 'none', reason: 'disabled' }

const ITEM = ['limiter', 'key', 'cost', 'limit']

function askedOf(item: ConsumeItem): readonly Asked[] {
  checkOptions('consumeAll', item, ITEM)
  const { limiter, key, cost, limit } = item
  const parts = (limiter as { readonly [PARTS]?: LimiterParts | null } | undefined)?.[PARTS]
  if (parts === null) return []
  if (parts === undefined)
    throw configError('limiter', limiter, 'consumeAll takes limiters of createLimiter(…)')
  return [{ limiter, safe: parts.safe, charge: parts.chargeFor(key, { cost, limit }) }]
}

function checkTogether(asked: readonly Asked[]): void {
  const seen = new Set<string>()
  const stores = new Map<string, Store>()
  for (const { limiter, charge } of asked) {
    const { name, store } = limiter
    // A receipt says of which limiter it is, and would be settled in both.
    if ((stores.get(name) ?? store) !== store)
      throw configError('limiter', name, 'is the name of limiters on two stores; give one another name')
    stores.set(name, store)
    const subject = JSON.stringify([charge.limiter, charge.key])
    if (seen.has(subject))
      throw configError('key', charge.key, `stands twice for limiter "${charge.limiter}"`)
    seen.add(subject)
  }
}

function groupsOf(asked: readonly Asked[]): readonly Group[] {
  const byStore = new Map<Store, [Asked, ...Asked[]]>()
  for (const one of asked) {
    const { store } = one.limiter
    const group = byStore.get(store)
    if (group === undefined) byStore.set(store, [one])
    else group.push(one)
  }
  return [...byStore].flatMap(([store, group]): readonly Group[] =>
    store.together?.(group.map(({ charge }) => charge)) === false
      ? group.map((one): Group => [one])
      : [group],
  )
}

type Ask = (group: Group, mode: Asking) => MaybePromise<Decision>
type Asking = 'ask' | 'peek'

function askGroup(group: Group, mode: Asking): MaybePromise<Decision> {
  const charges = group.map(({ charge }) => charge)
  const { safe } = group[0]
  if (!(safe instanceof Fallback)) return safe.consume(charges, mode)
  return safe.attempt(charges, mode, (error) => withoutStore(group, mode, error))
}

function withoutStore(group: Group, mode: Asking, error: RateLimitError): MaybePromise<Decision> {
  const standIn: Ask = ([{ safe, charge }], how) => (safe as Fallback).standIn([charge], how, error)
  const each = group.map((one): Group => [one])
  const closed = each.find(([{ safe }]) => (safe as Fallback).decided === 'closed')
  return closed === undefined ? inTurn(each, mode, standIn) : standIn(closed, mode)
}

/** One after the other; a refusal gives back what those before it were charged. */
function inTurn(groups: readonly Group[], mode: Asking, ask: Ask): MaybePromise<Decision> {
  const granted: Decision[] = []
  const next = (i: number): MaybePromise<Decision> => {
    const group = groups[i]
    if (group === undefined) return together(granted)
    return chain(ask(group, mode), (decision) => {
      if (!decision.allowed) {
        const unasked = decision.counted ? groups.slice(i + 1) : []
        return chain(giveBack(groups, granted), () =>
          chain(all(unasked.map((one) => ask(one, 'peek'))), (others) => longest(decision, others)),
        )
      }
      granted.push(decision)
      return next(i + 1)
    })
  }
  return next(0)
}

function giveBack(groups: readonly Group[], granted: readonly Decision[]): MaybePromise<unknown> {
  return all(granted.flatMap((one, i) => (groups[i] as Group).map(({ limiter }) => limiter.refund(one))))
}

/** The refusal, with those that were only looked at: theirs may be the longest wait. */
function longest(decision: Decision, others: readonly Decision[]): Decision {
  if (!decision.counted || others.length === 0) return decision
  const more = others.flatMap((other) => (other.counted ? other.policies : []))
  const policies = [...decision.policies, ...more.map((policy) => ({ ...policy, cost: 0 }))]
  return decisionOf(policies, decision.source, null)
}

/** One decision out of those that were made in turn, with all their receipts. */
function together(granted: readonly Decision[]): Decision {
  const counted = granted.filter((decision): decision is Counted => decision.counted)
  const [first] = counted
  if (first === undefined) return granted[0] as Decision
  const receipts = counted.flatMap(({ receipt }) => receipt ?? [])
  const [receipt = null, ...rest] = receipts
  const policies = counted.flatMap((decision) => decision.policies)
  return decisionOf(policies, first.source, receipt && { ...receipt, rest })
}
