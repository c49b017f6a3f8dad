import { LRUCache } from 'lru-cache'
import { type Key, toKey } from '../model/key.js'
import type { Limit } from '../model/limit.js'
import { chain, isPromise } from '../model/maybe-promise.js'
import type { MaybePromise } from '../model/store.js'
import { after, monotonicNow } from '../model/timers.js'
import {
  type CachedLimitOptions,
  checkCachedLimit,
  checkLoaded,
  type Settings,
} from './cached-limit-options.js'
import type { FromRequest } from './from-request.js'
import type { RequestView } from './request-view.js'
import { UnknownLimits } from './unknown-limits.js'

/** For the option `limit`. */
export interface CachedLimit<Ctx> extends FromRequest<Ctx, Limit> {
  /** Has the limit of `by` loaded again for the next request, as after an upgrade. */
  forget(by: Key): void
}

/**
 * Limits that stand elsewhere, as in a user's record: `limit: cachedLimit(load, { by, ttl, onError })`. What `load` gives is
 * kept for `ttl` under the key that `by` gives, and one load runs for a key however many requests wait for it. A load that
 * throws, rejects, takes longer than `timeout`, or gives what is no limit (`undefined`, `NaN`, a number, a text that does not
 * parse) is a failure, and then `onError` holds: never "no limit". After `retry` the next request loads again.
 * @throws RateLimitError `RL_CONFIG` at construction; `RL_KEY` at a request for which `by` gives no key.
 */
export function cachedLimit<Ctx = unknown>(
  load: FromRequest<Ctx, Limit>,
  options: CachedLimitOptions<Ctx>,
): CachedLimit<Ctx> {
  const settings = checkCachedLimit(load, options)
  const cache = new LimitCache(load, settings)
  const limit = (ctx: Ctx, view: RequestView) =>
    chain(settings.by(ctx, view), (key) => cache.limitOf(toKey(key), ctx, view))
  return Object.assign(limit, { forget: (key: Key) => cache.forget(toKey(key)) })
}

/** What is known of one key. */
interface Entry {
  limit: Limit | undefined
  loadedAt: number
  failedAt: number
  /** The newest load: an older one that comes late is not listened to. */
  load: object | undefined
  /** What those get who wait for it; never rejects. */
  pending: Promise<Limit> | undefined
}

class LimitCache<Ctx> {
  readonly #load: FromRequest<Ctx, Limit>
  readonly #settings: Settings<Ctx>
  readonly #entries: LRUCache<string, Entry>
  readonly #unknown: UnknownLimits

  constructor(load: FromRequest<Ctx, Limit>, settings: Settings<Ctx>) {
    this.#load = load
    this.#settings = settings
    this.#entries = new LRUCache({ max: settings.maxKeys })
    this.#unknown = new UnknownLimits(settings)
  }

  forget(key: string): void {
    this.#entries.delete(key)
  }

  limitOf(key: string, ctx: Ctx, view: RequestView): MaybePromise<Limit> {
    const entry = this.#entries.get(key) ?? this.#add(key)
    const age = monotonicNow() - entry.loadedAt
    if (entry.limit !== undefined && age < this.#settings.ttlMs) return entry.limit
    if (entry.pending === undefined && monotonicNow() - entry.failedAt < this.#settings.retryMs)
      return this.#without(entry)
    const loaded = entry.pending ?? this.#start(entry, ctx, view)
    return isPromise(loaded) ? (this.#stale(entry) ?? loaded) : loaded
  }

  #add(key: string): Entry {
    const never = Number.NEGATIVE_INFINITY
    const entry: Entry = {
      limit: undefined,
      loadedAt: never,
      failedAt: never,
      load: undefined,
      pending: undefined,
    }
    this.#entries.set(key, entry)
    return entry
  }

  #start(entry: Entry, ctx: Ctx, view: RequestView): MaybePromise<Limit> {
    const load = {}
    entry.load = load
    try {
      const given = this.#load(ctx, view)
      if (!isPromise(given)) return this.#took(entry, given)
      entry.pending = this.#await(entry, load, given)
      return entry.pending
    } catch (error) {
      return this.#failed(entry, error)
    }
  }

  #await(entry: Entry, load: object, given: Promise<Limit>): Promise<Limit> {
    return new Promise((resolve) => {
      let isLate = false
      const timer = after(this.#settings.timeoutMs, () => {
        isLate = true
        resolve(this.#failed(entry, new Error(`no answer within ${this.#settings.timeoutMs} ms`)))
      })
      const end = (outcome: () => Limit) => {
        timer.stop()
        // One that comes late is worth keeping all the same, unless another load has begun.
        if (entry.load === load) resolve(outcome())
      }
      Promise.resolve(given).then(
        (value) => end(() => this.#took(entry, value)),
        (error) => isLate || end(() => this.#failed(entry, error)),
      )
    })
  }

  #took(entry: Entry, given: unknown): Limit {
    try {
      entry.limit = checkLoaded(given)
    } catch (error) {
      return this.#failed(entry, error)
    }
    entry.loadedAt = monotonicNow()
    entry.failedAt = Number.NEGATIVE_INFINITY
    entry.pending = undefined
    return entry.limit
  }

  #failed(entry: Entry, error: unknown): Limit {
    entry.failedAt = monotonicNow()
    entry.pending = undefined
    this.#unknown.report(error)
    return this.#without(entry)
  }

  #without(entry: Entry): Limit {
    return this.#stale(entry) ?? this.#unknown.limit
  }

  /** The last limit, while it may still stand in for a newer one. */
  #stale({ limit, loadedAt }: Entry): Limit | undefined {
    const { ttlMs, staleMs } = this.#settings
    return monotonicNow() - loadedAt < ttlMs + staleMs ? limit : undefined
  }
}
