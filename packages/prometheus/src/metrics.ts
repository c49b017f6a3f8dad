import type { BreakerState, Store } from '@rl/core'
import { Counter, Gauge, Histogram, type Metric, type Registry, type RegistryContentType } from 'prom-client'
import type { Observe } from './limiter-tally.js'
import type { Tally } from './tally.js'

/** A metric, but for where it is registered. */
interface Described {
  readonly name: string
  readonly help: string
  readonly registers: [Registry<RegistryContentType>]
}

/** What is registered where, under which names. */
export interface Place {
  readonly register: Registry<RegistryContentType>
  readonly prefix: string
}

const HELP = {
  requests_total: 'Decisions, by the policy that decided and by where it was decided',
  decision_duration_seconds: 'Time that a decision took, of those that were measured',
  store_errors_total: 'Calls to a store that failed or were not sent, by kind of error',
  store_available:
    '0 while the store is not asked, as its breaker is open or its client is not connected; the stand-by decides then',
  breaker_open:
    '1 while the breaker is open after failed calls; not for a client that is just not connected: see store_available',
  store_keys: 'Keys held in memory',
} as const

type Name = keyof typeof HELP

/** The names of all metrics. */
export function namesOf(prefix: string): readonly string[] {
  return Object.keys(HELP).map((name) => prefix + name)
}

/** The histogram apart, as durations go straight into it. */
export function durations(place: Place, buckets: readonly number[]): Histogram<'limiter' | 'source'> {
  return new Histogram({
    ...described(place, 'decision_duration_seconds'),
    labelNames: ['limiter', 'source'],
    buckets: [...buckets],
  })
}

/** What takes the durations of one limiter's decisions from one source. */
export function timerOf(
  histogram: Histogram<'limiter' | 'source'>,
  limiter: string,
  source: string,
): Observe {
  const { observe } = histogram.labels(limiter, source)
  return (seconds) => observe(seconds)
}

/** Everything else, made of the tally when it is asked for. */
export function metricsOf(place: Place, tally: Tally): readonly Metric[] {
  return [requests(place, tally), storeErrors(place, tally), ...gauges(place, tally)]
}

function requests(place: Place, tally: Tally): Metric {
  const counter = new Counter({
    ...described(place, 'requests_total'),
    labelNames: ['limiter', 'policy', 'result', 'source'],
    collect: () => {
      for (const { name: limiter, policies } of tally.limiters.values()) {
        for (const { name: policy, sources } of policies.values()) {
          for (const { source, allowed, refused } of sources.values()) {
            if (policy !== '' || allowed.value > 0)
              counter.inc({ limiter, policy, source, result: 'allowed' }, allowed.take())
            // Of what is decided without counting there is only one result.
            if (policy !== '' || refused.value > 0)
              counter.inc({ limiter, policy, source, result: 'refused' }, refused.take())
          }
        }
      }
    },
  })
  return counter
}

function storeErrors(place: Place, tally: Tally): Metric {
  const counter = new Counter({
    ...described(place, 'store_errors_total'),
    labelNames: ['limiter', 'kind', 'call'],
    collect: () => {
      for (const { name: limiter, failures } of tally.limiters.values()) {
        for (const { kind, decide, settle } of failures.values()) {
          counter.inc({ limiter, kind, call: 'decide' }, decide.take())
          counter.inc({ limiter, kind, call: 'settle' }, settle.take())
        }
      }
    },
  })
  return counter
}

/** What stores say of themselves. A limiter whose stores have nothing to say has no series. */
function gauges(place: Place, tally: Tally): readonly Metric[] {
  const gauge = (name: Name, { of, all }: Reading): Metric => {
    const metric = new Gauge({
      ...described(place, name),
      labelNames: ['limiter'],
      collect: () => {
        metric.reset()
        for (const tallied of tally.limiters.values()) {
          const limiter = tallied.name
          const values = tallied.stores().flatMap((store) => of(store, limiter) ?? [])
          if (values.length > 0) metric.set({ limiter }, all(values))
        }
      },
    })
    return metric
  }
  return [
    gauge('store_available', { of: availability, all: (values) => Math.min(...values) }),
    gauge('breaker_open', { of: breakerOpen, all: (values) => Math.max(...values) }),
    gauge('store_keys', { of: keysHeld, all: (values) => values.reduce((a, b) => a + b) }),
  ]
}

/** What is read of one store, and what that makes for all stores of a limiter. */
interface Reading {
  readonly of: (store: Telling, limiter: string) => number | undefined
  readonly all: (values: readonly number[]) => number
}

/** What a store may say of itself: one in memory its keys, one in Redis its breaker. */
interface Telling extends Store {
  sizeOf?(limiter: string): number
  readonly breaker?: BreakerState
}

function availability(store: Telling): number | undefined {
  const is = store.available?.()
  return is === undefined ? undefined : Number(is)
}

function breakerOpen({ breaker }: Telling): number | undefined {
  return breaker === undefined ? undefined : Number(breaker === 'open')
}

function keysHeld(store: Telling, limiter: string): number | undefined {
  return store.sizeOf?.(limiter)
}

function described({ register, prefix }: Place, name: Name): Described {
  return { name: prefix + name, help: HELP[name], registers: [register] }
}
