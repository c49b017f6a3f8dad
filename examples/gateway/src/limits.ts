import type { Policy } from '@rl/core'
import { connectRedis } from '@rl/core/ioredis'
import { redisStore } from '@rl/core/redis'
import { byIp, type RateLimitOptions } from '@rl/express'
import { loadTenants, type Rules, type Tenants } from '@rl/tenants'
import type { Flags } from './flags.js'

/** How the gateway limits, and how that is doing. */
export interface Limits {
  readonly options: Pick<RateLimitOptions<unknown>, 'limit' | 'key' | 'skip' | 'store' | 'onStoreFailure'>
  readonly tenants: Tenants | undefined
  /** For `/health`: where it counts, and whether that works. */
  readonly counting: () => string
  readonly close: () => void
}

/** By tenant where there is a file of them, else by client address; in this process, or in Redis for all gateways. */
export async function limitsOf(flags: Flags): Promise<Limits> {
  const key = byIp({ trust: flags.trust })
  if (flags.tenants === undefined) return { ...place(flags, { limit: flags.limit, key }), tenants: undefined }
  const tenants = await loadTenants(flags.tenants, { fallback: key })
  const { options, counting, close } = place(flags, rulesOf(tenants, flags))
  return {
    // A tenant's plan stays its plan while Redis is gone.
    options: { ...options, onStoreFailure: 'local' },
    tenants,
    counting,
    close() {
      tenants.close()
      close()
    },
  }
}

/** The flags, where they are given, are for those who are no tenant. */
function rulesOf(tenants: Tenants, { isLimitGiven, limit }: Flags): Rules {
  const rules = tenants.rules()
  if (!isLimitGiven) return rules
  return {
    ...rules,
    limit(ctx, view) {
      const { tenant, profile } = tenants.callerOf(view, ctx)
      return tenant === undefined && profile === undefined ? limit : rules.limit(ctx, view)
    },
  }
}

type Place = Omit<Limits, 'tenants'>

function place(
  { redis, standby }: { readonly redis: string | undefined; readonly standby: Policy },
  options: Limits['options'],
): Place {
  if (redis === undefined) return { options, counting: () => 'in this process', close: () => {} }
  const client = connectRedis(redis)
  const store = redisStore({ client })
  return {
    options: { ...options, store, onStoreFailure: { local: standby } },
    counting: () => (store.available?.() === false ? 'in this process, as Redis is gone' : 'in Redis'),
    close: () => client.disconnect(),
  }
}
