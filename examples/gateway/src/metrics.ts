import type { RateLimitEvent } from '@rl/core'
import type { RateLimitResult } from '@rl/core/http'
import { collectRateLimits } from '@rl/prometheus'
import { Counter, Registry } from 'prom-client'
import type { UpstreamFailure } from './proxy.js'

/**
 * What the gateway counts of itself, beside what `@rl/prometheus` has of its limiter. No label is a key or an address: names of
 * tenants stand in a file.
 */
export interface Metrics {
  readonly contentType: string
  text(): Promise<string>
  /** One request came to its end. */
  request(tenant: string, result: RateLimitResult | undefined): void
  /** Something went wrong with Redis. */
  heard(event: RateLimitEvent): void
  /** The upstream failed, and a request was answered 502 or 504. */
  upstreamFailed(kind: UpstreamFailure): void
  close(): void
}

export function createMetrics(): Metrics {
  const registry = new Registry()
  const registers = [registry]
  const collection = collectRateLimits({ register: registry })
  const requests = new Counter({
    name: 'ratelimiter_requests_total',
    help: 'Requests, by tenant and by what became of them',
    labelNames: ['tenant', 'result'],
    registers,
  })
  const redisErrors = new Counter({
    name: 'ratelimiter_redis_errors_total',
    help: 'Calls to Redis that failed, or were not sent because it is known to be down',
    registers,
  })
  const upstreamErrors = new Counter({
    name: 'gateway_upstream_errors_total',
    help: 'Requests answered 502 (unreachable) or 504 (silent), as the upstream failed',
    labelNames: ['kind'],
    registers,
  })
  return {
    contentType: registry.contentType,
    text: () => registry.metrics(),
    request: (tenant, result) => requests.inc({ tenant, result: nameOf(result) }),
    heard({ type }) {
      if (type === 'store-failure' || type === 'settle-dropped') redisErrors.inc()
    },
    upstreamFailed: (kind) => upstreamErrors.inc({ kind }),
    close: () => collection.close(),
  }
}

function nameOf(result: RateLimitResult | undefined): string {
  if (result === undefined) return 'error'
  if (!result.allowed) return 'denied'
  return result.reason === 'skipped' ? 'skipped' : 'allowed'
}
