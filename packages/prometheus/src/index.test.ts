import { hasSubscribers } from 'node:diagnostics_channel'
import { consumeAll, createLimiter, type Limiter, memoryStore, type Store } from '@rl/core'
import { register as defaultRegister, Registry } from 'prom-client'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { failingStore } from '../../../test/support/failing-store.js'
import { type Collection, type CollectOptions, collectRateLimits } from './index.js'

const silent = { warn: () => {}, error: () => {} }
let register: Registry
let collection: Collection
beforeEach(() => {
  register = new Registry()
  collection = collectRateLimits({ register })
})
afterEach(() => collection.close())

/** The samples of one metric, without its common prefix. */
async function samples(name: string, of: Registry = register): Promise<string[]> {
  const lines = (await of.metrics()).split('\n')
  const begin = `rl_rate_limiting_${name}`
  return lines.filter((line) => line.startsWith(`${begin}{`)).map((line) => line.slice(begin.length))
}

function consume(limiter: Limiter, times: number): void {
  for (let i = 0; i < times; i++) void limiter.consume('ann')
}

describe('requests', () => {
  it('are counted by limiter, policy and result, with both results from the first on', async () => {
    consume(createLimiter({ name: 'api', limit: '3/1m' }), 2)
    expect(await samples('requests_total')).toEqual([
      '{limiter="api",policy="1m",source="store",result="allowed"} 2',
      '{limiter="api",policy="1m",source="store",result="refused"} 0',
    ])
  })

  it('of several policies are counted once, under the one that decided', async () => {
    consume(createLimiter({ name: 'api', limit: { burst: '1/1s', daily: '9/1d' } }), 3)
    expect(await samples('requests_total')).toEqual([
      '{limiter="api",policy="burst",source="store",result="allowed"} 1',
      '{limiter="api",policy="burst",source="store",result="refused"} 2',
    ])
  })

  it('are none that only looked, or counted without asking', async () => {
    const limiter = createLimiter({ limit: '3/1m' })
    void limiter.peek('ann')
    void limiter.charge('ann')
    expect(await samples('requests_total')).toEqual([])
  })

  it('that nobody counted have no policy, and say who decided', async () => {
    const store = failingStore()
    store.isAvailable = false
    consume(createLimiter({ name: 'open', limit: '1/1m', store, onStoreFailure: 'open', logger: silent }), 2)
    consume(
      createLimiter({ name: 'shut', limit: '1/1m', store, onStoreFailure: 'closed', logger: silent }),
      2,
    )
    consume(createLimiter({ name: 'local', limit: '1/1m', store, logger: silent }), 3)
    expect(await samples('requests_total')).toEqual([
      '{limiter="open",policy="",source="open",result="allowed"} 2',
      '{limiter="shut",policy="",source="closed",result="refused"} 2',
      '{limiter="local",policy="1m",source="local",result="allowed"} 1',
      '{limiter="local",policy="1m",source="local",result="refused"} 2',
    ])
  })

  it('go on from where they were at the next scrape, and from 0 after a reset of the registry', async () => {
    const limiter = createLimiter({ name: 'api', limit: '99/1m' })
    consume(limiter, 2)
    await samples('requests_total')
    consume(limiter, 3)
    expect((await samples('requests_total'))[0]).toMatch(/ 5$/)
    register.resetMetrics()
    consume(limiter, 4)
    expect((await samples('requests_total'))[0]).toMatch(/ 4$/)
  })
})

describe('labels', () => {
  it('are bounded: policies whose names come from data become "other" after the twentieth', async () => {
    const limiter = createLimiter({ name: 'api', limit: 'per-call' })
    for (let i = 0; i < 1000; i++) void limiter.consume('ann', { limit: { [`p${i}`]: '9/1m' } })
    const lines = await samples('requests_total')
    expect(lines).toHaveLength(42)
    expect(lines).toContain('{limiter="api",policy="other",source="store",result="allowed"} 980')
  })

  it('are bounded: so are the names of limiters after the hundredth', async () => {
    for (let i = 0; i < 1000; i++) consume(createLimiter({ name: `l${i}`, limit: '9/1m' }), 1)
    const lines = await samples('requests_total')
    expect(lines).toHaveLength(202)
    expect(lines).toContain('{limiter="other",policy="1m",source="store",result="allowed"} 900')
    expect(await samples('store_keys')).toHaveLength(100)
  })

  it('are bounded: so are sources that stores make up', async () => {
    let i = 0
    const inner = memoryStore()
    const store: Store = {
      consume: (charges, mode) => ({ ...inner.consume(charges, mode), source: `mine ${i++}` }),
      settle: () => {},
      reset: () => {},
      close: () => {},
    }
    consume(createLimiter({ name: 'api', limit: '999/1m', store, logger: silent }), 500)
    expect(await samples('requests_total')).toHaveLength(18)
    expect(await samples('decision_duration_seconds_count')).toHaveLength(9)
  })

  it('never hold a key', async () => {
    const limiter = createLimiter({ name: 'api', limit: '1/1m', store: failingStore(), logger: silent })
    await limiter.consume('ann@example.org')
    expect(await register.metrics()).not.toContain('ann')
  })
})

describe('durations', () => {
  it('are of every decision of a store that has to be waited for', async () => {
    const limiter = createLimiter({ name: 'api', limit: '9/1m', store: failingStore(), logger: silent })
    for (let i = 0; i < 3; i++) await limiter.consume('ann')
    expect(await samples('decision_duration_seconds_count')).toEqual(['{limiter="api",source="store"} 3'])
  })

  it('are of one in 1024 of those in memory', async () => {
    consume(createLimiter({ name: 'api', limit: '9/1m' }), 1025)
    expect(await samples('decision_duration_seconds_count')).toEqual(['{limiter="api",source="store"} 2'])
  })
})

describe('errors of a store', () => {
  it('are counted by kind, and by what the call was for', async () => {
    const store = failingStore()
    const limiter = createLimiter({ name: 'api', limit: '9/1m', store, logger: silent })
    const decision = await limiter.consume('ann')
    store.state = 'fails'
    await limiter.consume('ann')
    await limiter.refund(decision)
    store.isAvailable = false
    await limiter.consume('ann')
    expect(await samples('store_errors_total')).toEqual([
      '{limiter="api",kind="deadline",call="decide"} 1',
      '{limiter="api",kind="deadline",call="settle"} 1',
      '{limiter="api",kind="down",call="decide"} 1',
      '{limiter="api",kind="down",call="settle"} 0',
    ])
  })
})

describe('gauges', () => {
  it('have the keys that a memory store holds for each limiter', async () => {
    const store = memoryStore()
    const [api, login] = ['api', 'login'].map((name) => createLimiter({ name, limit: '9/1m', store }))
    for (const key of ['ann', 'bob', 'eve']) void api?.consume(key)
    void login?.consume('ann')
    expect(await samples('store_keys')).toEqual(['{limiter="api"} 3', '{limiter="login"} 1'])
    await api?.reset('ann')
    expect(await samples('store_keys')).toEqual(['{limiter="api"} 2', '{limiter="login"} 1'])
  })

  it('add up the stores of limiters of one name', async () => {
    const limiters = [1, 2, 3].map(() => createLimiter({ limit: '9/1m' }))
    for (const limiter of limiters) consume(limiter, 1)
    expect(await samples('store_keys')).toEqual(['{limiter="default"} 3'])
  })

  it('have the keys of every limiter of a decision over several', async () => {
    const store = memoryStore()
    const [a, b] = ['a', 'b'].map((name) => createLimiter({ name, limit: '9/1m', store })) as [
      Limiter,
      Limiter,
    ]
    void consumeAll([
      { limiter: a, key: 'ann' },
      { limiter: b, key: 'ann' },
    ])
    expect(await samples('store_keys')).toEqual(['{limiter="a"} 1', '{limiter="b"} 1'])
  })

  it('say whether a store is asked, where it knows', async () => {
    const store = failingStore()
    const limiter = createLimiter({ name: 'api', limit: '9/1m', store, logger: silent })
    await limiter.consume('ann')
    expect(await samples('store_available')).toEqual(['{limiter="api"} 1'])
    store.isAvailable = false
    expect(await samples('store_available')).toEqual(['{limiter="api"} 0'])
    await limiter.close()
  })
})

describe('collectRateLimits', () => {
  it('registers nothing in the default registry when it is given another', () => {
    expect(defaultRegister.getMetricsAsArray()).toEqual([])
  })

  it('registers in the default registry when it is given none', () => {
    const second = collectRateLimits()
    expect(defaultRegister.getMetricsAsArray().map(({ name }) => name)).toContain(
      'rl_rate_limiting_requests_total',
    )
    second.close()
    expect(defaultRegister.getMetricsAsArray()).toEqual([])
  })

  it('fills two registries alike', async () => {
    const other = new Registry()
    const second = collectRateLimits({ register: other })
    consume(createLimiter({ name: 'api', limit: '3/1m' }), 2)
    expect(await samples('requests_total', other)).toEqual(await samples('requests_total'))
    second.close()
  })

  it('twice on one registry is an error that says what to do, and leaves the first at work', async () => {
    expect(() => collectRateLimits({ register })).toThrow(
      'collectRateLimits: register: this registry has a metric "rl_rate_limiting_requests_total" already. ' +
        'Collect once for each registry, close() the first, or give another prefix',
    )
    consume(createLimiter({ name: 'api', limit: '3/1m' }), 1)
    expect(await samples('requests_total')).toHaveLength(2)
  })

  it('takes a prefix, so that one registry can have two', () => {
    collectRateLimits({ register, prefix: 'mine_' }).close()
  })

  it('stops when it is closed, and leaves the registry as it was', () => {
    collection.close()
    collection.close()
    expect(register.getMetricsAsArray()).toEqual([])
    expect(['rl:decision', 'rl:store'].map(hasSubscribers)).toEqual([false, false])
    collection = collectRateLimits({ register })
  })

  it('does not take from a registry what another has put there since', () => {
    register.clear()
    const second = collectRateLimits({ register })
    collection.close()
    expect(register.getMetricsAsArray()).toHaveLength(6)
    second.close()
  })

  it.each<[string, unknown, RegExp]>([
    ['register', {}, /register: takes a Registry/],
    ['prefix', 'a-b', /prefix: is a letter/],
    ['prefix', 'a\n', /prefix: .*got "a\\n"/],
    ['buckets', [], /buckets: takes 1 to 100/],
    ['buckets', [0.1, 0.1], /buckets/],
    ['buckets', ['1'], /buckets/],
    ['maxLimiters', 0, /maxLimiters: is a whole number from 1 to 1000; got "0"/],
    ['maxPolicies', Number.NaN, /maxPolicies/],
    ['registry', new Registry(), /registry: is no option; it takes register, prefix/],
  ])('refuses %s: %j', (option, value, message) => {
    const options = { register: new Registry(), [option]: value } as CollectOptions
    expect(() => collectRateLimits(options)).toThrow(message)
  })

  it('works with a registry of OpenMetrics', async () => {
    const open = new Registry()
    open.setContentType(Registry.OPENMETRICS_CONTENT_TYPE as never)
    const second = collectRateLimits({ register: open })
    consume(createLimiter({ name: 'api', limit: '3/1m' }), 1)
    expect(await open.metrics()).toContain(
      'rl_rate_limiting_requests_total{limiter="api",policy="1m",source="store",result="allowed"} 1\n',
    )
    await open.metrics()
    second.close()
    expect(open.getMetricsAsArray()).toEqual([])
  })
})
