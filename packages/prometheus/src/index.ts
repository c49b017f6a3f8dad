import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import type { DecisionEvent, RateLimitEvent } from '@rl/core'
import { durations, metricsOf, namesOf, type Place, timerOf } from './metrics.js'
import { type CollectOptions, checkOptions, wrong } from './options.js'
import { Tally } from './tally.js'

export type { CollectOptions } from './options.js'

/** Metrics that are being collected. */
export interface Collection {
  /** Stops, and takes the metrics out of the registry. May be called twice. */
  close(): void
}

/**
 * Registers the metrics of all limiters of this process, from now on. No label is ever a key, an address or a path.
 * @throws RateLimitError `RL_CONFIG`, also where the registry has metrics of these names already
 */
export function collectRateLimits(options: CollectOptions = {}): Collection {
  const { buckets, maxLimiters, maxPolicies, ...place } = checkOptions(options)
  checkFree(place)
  const histogram = durations(place, buckets)
  const timerFor = (limiter: string, source: string) => timerOf(histogram, limiter, source)
  const tally = new Tally({ maxLimiters, maxPolicies, timerFor })
  const metrics = [histogram, ...metricsOf(place, tally)]
  const decided = (event: unknown): void => tally.decided(event as DecisionEvent)
  const heard = (event: unknown): void => tally.heard(event as RateLimitEvent)
  subscribe('rl:decision', decided)
  subscribe('rl:store', heard)
  return {
    close() {
      unsubscribe('rl:decision', decided)
      unsubscribe('rl:store', heard)
      // The registry may have been cleared, and hold another's by now.
      for (const name of namesOf(place.prefix)) {
        const registered: object | undefined = place.register.getSingleMetric(name)
        if (metrics.some((metric) => metric === registered)) place.register.removeSingleMetric(name)
      }
    },
  }
}

function checkFree({ register, prefix }: Place): void {
  const taken = namesOf(prefix).find((name) => register.getSingleMetric(name) !== undefined)
  if (taken === undefined) return
  throw wrong(
    'register',
    `this registry has a metric "${taken}" already. Collect once for each registry, close() the first, or give another prefix`,
  )
}
