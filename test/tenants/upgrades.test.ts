import { memoryStore, type Store } from '@rl/core'
import { createGuard, type Guard } from '@rl/core/http'
import { redisStore } from '@rl/core/redis'
import { describe, expect, it } from 'vitest'
import { fakeRequest } from '../support/fake-request.js'
import { useClient, useServer } from '../support/use-redis.js'
import { type TestFile, tenantsFile } from './tenants-file.js'

const client = useClient(useServer())
const STORES: Readonly<Record<string, () => Store>> = {
  memory: () => memoryStore(),
  Redis: () => redisStore({ client: client(), prefix: `upgrade${Math.random()}`, deadlineMs: 5000 }),
}

/** Two tenants: `acme` in the plan given, `beta` always in the small one. */
function file(plan: string, more: Readonly<Record<string, unknown>> = {}): object {
  return {
    default: 'small',
    plans: {
      small: { limit: { fixedWindow: { limit: 3, window: '1d' } } },
      large: { limit: { fixedWindow: { limit: 10, window: '1d' } } },
      bucket: { limit: { tokenBucket: { capacity: 5, per: '1d' } } },
      ...more,
    },
    tenants: { acme: { plan, keys: ['key-acme'] }, beta: { plan: 'small', keys: ['key-beta'] } },
  }
}

async function served(store: Store, source: TestFile) {
  const tenants = await source.load({ watch: false, sighup: false })
  const guard = createGuard({ ...tenants.rules(), store, name: 'api' })
  const to = async (plan: string) => {
    source.write(file(plan))
    await tenants.reload()
  }
  return { guard, to }
}

/** How many of ten calls pass, of those that may. */
async function admitted(guard: Guard<unknown>, key: string, calls = 12): Promise<number> {
  let passed = 0
  for (let i = 0; i < calls; i++) {
    const verdict = await guard.check(fakeRequest({ headers: { 'x-api-key': key } }), {})
    if (verdict.allowed) passed++
  }
  return passed
}

describe.each(Object.keys(STORES))('a tenant changes its plan in mid-window, counted in %s', (name) => {
  const store = () => (STORES[name] as () => Store)()

  it('up: the next decision uses the new limit, and what was used stays used', async () => {
    const { guard, to } = await served(store(), tenantsFile(file('small')))
    expect(await admitted(guard, 'key-acme')).toBe(3)
    expect(await admitted(guard, 'key-beta')).toBe(3)
    await to('large')
    expect(await admitted(guard, 'key-acme')).toBe(7)
    expect(await admitted(guard, 'key-beta')).toBe(0)
  })

  it('down: what was used counts against the smaller limit, until the window ends', async () => {
    const { guard, to } = await served(store(), tenantsFile(file('large')))
    expect(await admitted(guard, 'key-acme', 2)).toBe(2)
    await to('small')
    expect(await admitted(guard, 'key-acme')).toBe(1)
  })

  it('to another algorithm: nobody is locked out by what another one counted', async () => {
    const { guard, to } = await served(store(), tenantsFile(file('small')))
    expect(await admitted(guard, 'key-acme')).toBe(3)
    await to('bucket')
    expect(await admitted(guard, 'key-acme')).toBe(5)
    await to('small')
    expect(await admitted(guard, 'key-acme')).toBe(0)
  })
})
