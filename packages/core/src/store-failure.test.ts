import { describe, expect, it } from 'vitest'
import { failingStore } from '../../../test/support/failing-store.js'
import { thrown } from '../../../test/support/thrown.js'
import { createLimiter } from './limiter.js'
import type { Limiter, LimiterOptions } from './limiter-types.js'
import type { Counted, Decision } from './model/decision.js'
import { tokenBucket } from './model/policy.js'
import type { OnStoreFailure } from './store-failure.js'

const silent = { warn: () => {}, error: () => {} }

/** A store that is down, and a limiter over it. */
function downed(onStoreFailure: OnStoreFailure | undefined, options: Partial<LimiterOptions> = {}): Limiter {
  const store = failingStore()
  store.isAvailable = false
  return createLimiter({ limit: '100/1m', store, onStoreFailure, logger: silent, ...options })
}

function limitsOf(decision: unknown): number[] {
  return (decision as Counted).policies.map(({ limit }) => limit)
}

describe('onStoreFailure', () => {
  it.each<[OnStoreFailure | undefined, readonly number[]]>([
    [undefined, [100]],
    ['local', [100]],
    [{}, [100]],
    [{ local: '7/1s' }, [7]],
    [{ local: tokenBucket({ capacity: 20, refill: 5, per: '1s' }) }, [20]],
    [{ local: { burst: '7/1s', daily: '50/1d' } }, [7, 50]],
    [{ share: 0.25 }, [25]],
    [{ share: 1 }, [100]],
    [{ share: 0.3333 }, [33]],
    [{ share: 0.0001 }, [1]],
    [{ local: '40/1s', share: 0.25 }, [10]],
  ])('%j counts in this process, up to %j', (option, limits) => {
    expect(limitsOf(downed(option).consume('ann'))).toEqual(limits)
  })

  it('a share of a limit of 0 is 0', () => {
    expect(downed({ share: 0.5 }, { limit: '0/1m' }).consume('ann')).toMatchObject({
      source: 'local',
      allowed: false,
      limit: 0,
    })
  })

  it('a share is of the limit of the call, where the call brings one', () => {
    const limiter = downed({ share: 0.25 })
    expect(limitsOf(limiter.consume('ann', { limit: '8/1m' }))).toEqual([2])
    expect(limitsOf(limiter.consume('ann'))).toEqual([25])
  })

  it('B67: the sixth of five is refused while the store is down', () => {
    const limiter = downed('local', { limit: '5/60s' })
    const allowed = [1, 2, 3, 4, 5, 6].map(() => (limiter.consume('ann') as Decision).allowed)
    expect(allowed).toEqual([true, true, true, true, true, false])
  })

  it.each<[unknown, string]>([
    [
      'locl',
      'takes "local", "open", "closed", { local: limit }, { share: 0.25 } or { repay: true }; got "locl"',
    ],
    [null, 'takes "local", "open", "closed", { local: limit }, { share: 0.25 } or { repay: true }; got null'],
    [true, 'takes "local", "open", "closed", { local: limit }, { share: 0.25 } or { repay: true }; got true'],
    [{ shares: 0.5 }, 'there is no option "shares". Did you mean "share"?'],
    [{ share: 0 }, 'share: is above 0 and at most 1; got 0'],
    [{ share: 1.5 }, 'share: is above 0 and at most 1; got 1.5'],
    [{ share: Number.NaN }, 'share: is above 0 and at most 1; got NaN'],
    [{ share: '0.5' }, 'share: is above 0 and at most 1; got "0.5"'],
    [{ repay: 'yes' }, 'repay: takes true or false; got "yes"'],
    [{ repay: true }, 'repay: needs a store that has repay(), such as redisStore(); got true'],
    [{ local: 'many' }, 'local: takes "<limit>/<window>", such as "100/1m"; got "many"'],
  ])('refuses %j', (option, message) => {
    const error = thrown(() => downed(option as OnStoreFailure))
    expect(error).toMatchObject({ code: 'RL_CONFIG', message: `onStoreFailure: ${message}` })
  })
})

describe('on one store', () => {
  it('a login is closed while the catalogue is open', async () => {
    const store = failingStore()
    const options = { store, logger: silent, limit: '5/1m' }
    const login = createLimiter({ ...options, name: 'login', onStoreFailure: 'closed' })
    const catalogue = createLimiter({ ...options, name: 'catalogue', onStoreFailure: 'open' })
    store.state = 'fails'
    expect([await login.consume('ann'), await catalogue.consume('ann')]).toEqual([
      { counted: false, allowed: false, source: 'closed', reason: 'store-failed' },
      { counted: false, allowed: true, source: 'open', reason: 'store-failed' },
    ])
  })

  it('the log speaks once for all limiters', async () => {
    const store = failingStore()
    const lines: string[] = []
    const add = (line: string) => void lines.push(line)
    const options = { store, logger: { warn: add, error: add }, limit: '5/1m' }
    const limiters = ['a', 'b', 'c'].map((name) => createLimiter({ ...options, name }))
    store.isAvailable = false
    for (const limiter of limiters) await limiter.consume('ann')
    store.isAvailable = true
    for (const limiter of limiters) await limiter.consume('ann')
    expect(lines).toEqual([
      '[rl] the store fails; decisions are now by a limit in this process. store: is down, so it was not asked',
      '[rl] the store works again after 0.0 s. Meanwhile decided: 3 by a limit in this process',
    ])
    for (const limiter of limiters) await limiter.close()
  })
})

describe('costs by name', () => {
  const limit = { requests: '10/1m', tokens: '1000/1m' }
  const cost = { requests: 1, tokens: 400 }

  it('count where the stand-in has the same policies', () => {
    const { policies } = downed('local', { limit }).consume('ann', { cost }) as Counted
    expect(policies.map(({ used }) => used)).toEqual([1, 400])
  })

  it('count for policies of the same name, and 1 for others', () => {
    const limiter = downed({ local: { tokens: '500/1s', all: '3/1s' } }, { limit })
    const { policies } = limiter.consume('ann', { cost }) as Counted
    expect(policies.map(({ policy, used }) => [policy, used])).toEqual([
      ['tokens', 400],
      ['all', 1],
    ])
  })

  it('settle by the names that the limiter has, whatever stands in', async () => {
    const limiter = downed({ local: { tokens: '500/1s', all: '3/1s' } }, { limit })
    const decision = (await limiter.consume('ann', { cost })) as Counted
    await limiter.settle(decision, { requests: 1, tokens: 70 })
    const { policies } = (await limiter.peek('ann', { cost })) as Counted
    expect(policies.map(({ used }) => used)).toEqual([70, 1])
  })
})
