import { told } from './decision-events.js'
import { type ConsumeOptions, type Limiter, type LimiterParts, PARTS } from './limiter-types.js'
import { decisionChannel } from './model/channel.js'
import type { Charge } from './model/charge.js'
import { type Counted, type Decision, decisionOf, type Uncounted } from './model/decision.js'
import { configError, type RateLimitError, show } from './model/errors.js'
import type { Key } from './model/key.js'
import { chain } from './model/maybe-promise.js'
import type { MaybePromise, Store } from './model/store.js'
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

/**
 * Several limiters, one decision: all admit, or none is charged. On one server, and where all keys have one cluster slot,
 * that is one call and exact. Elsewhere in a cluster the limiters are asked in the order of the list, so put the narrow
 * ones first; on a refusal what was charged is given back in the window it was charged in. That never admits too much, but
 * for that moment others see the charge. When the store fails the strictest `onStoreFailure` wins: one `'closed'` closes.
 * @throws RateLimitError `RL_CONFIG` for limiters of different stores, or the same limiter and key twice
 */
export function consumeAll(items: readonly ConsumeItem[]): MaybePromise<Decision> {
  const asked = items.flatMap(askedOf)
  const [first] = asked
  if (first === undefined) return ALL_OFF
  checkTogether(asked, first.limiter.store)
  if (!decisionChannel.hasSubscribers) return askAll(first, asked)
  return told(first.limiter, 'ask', () => askAll(first, asked))
}

function askAll(first: Asked, asked: readonly Asked[]): MaybePromise<Decision> {
  const { store } = first.limiter
  const charges = asked.map(({ charge }) => charge)
  if (store.together?.(charges) === false)
    return inTurn(asked, ({ safe, charge }) => safe.consume([charge], 'ask'))
  if (!(first.safe instanceof Fallback)) return first.safe.consume(charges, 'ask')
  return first.safe.attempt(charges, 'ask', (error) => withoutStore(asked, error))
}

/** Of limiters that are all `noopLimiter()`. */
const ALL_OFF: Uncounted = { counted: false, allowed: true, source: 'none', reason: 'disabled' }

function askedOf({ limiter, key, ...options }: ConsumeItem): readonly Asked[] {
  const parts = (limiter as { readonly [PARTS]?: LimiterParts | null })[PARTS]
  if (parts === null) return []
  if (parts === undefined)
    throw configError('limiter', limiter, 'consumeAll takes limiters of createLimiter(…)')
  return [{ limiter, safe: parts.safe, charge: parts.chargeFor(key, options) }]
}

function checkTogether(asked: readonly Asked[], store: Store): void {
  const seen = new Set<string>()
  for (const { limiter, charge } of asked) {
    if (limiter.store !== store) {
      throw configError('limiter', limiter.name, 'consumeAll takes limiters that count in the same store')
    }
    const subject = JSON.stringify([charge.limiter, charge.key])
    if (seen.has(subject))
      throw configError('key', show(charge.key), `stands twice for limiter "${charge.limiter}"`)
    seen.add(subject)
  }
}

function withoutStore(asked: readonly Asked[], error: RateLimitError): MaybePromise<Decision> {
  const standbys = asked.map((one) => ({ ...one, standby: one.safe as Fallback }))
  const closed = standbys.find(({ standby }) => standby.decided === 'closed')
  if (closed !== undefined) return closed.standby.standIn([closed.charge], 'ask', error)
  return inTurn(standbys, ({ standby, charge }) => standby.standIn([charge], 'ask', error))
}

/** One after the other; a refusal gives back what those before it were charged. */
function inTurn<T extends Asked>(
  asked: readonly T[],
  ask: (one: T) => MaybePromise<Decision>,
): MaybePromise<Decision> {
  const granted: Decision[] = []
  const next = (i: number): MaybePromise<Decision> => {
    const one = asked[i]
    if (one === undefined) return together(granted)
    return chain(ask(one), (decision) => {
      if (!decision.allowed) return chain(giveBack(asked, granted), () => decision)
      granted.push(decision)
      return next(i + 1)
    })
  }
  return next(0)
}

function giveBack(asked: readonly Asked[], granted: readonly Decision[]): MaybePromise<void> {
  return granted.reduce<MaybePromise<void>>(
    (before, decision, i) => chain(before, () => (asked[i] as Asked).limiter.refund(decision)),
    undefined,
  )
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
