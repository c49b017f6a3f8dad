import { describe, expect, it } from 'vitest'
import { fakeRequest } from '../../../../test/support/fake-request.js'
import { memoryStore } from '../memory/memory-store.js'
import { fixedWindow } from '../model/policy.js'
import { createGuard } from './guard.js'
import type { GuardOptions } from './guard-options.js'

const store = memoryStore({ clock: () => 1_700_000_040_000 })
const minute = (limit: number) => fixedWindow({ limit, window: '1m' })
const guardOf = (options: GuardOptions<unknown>) =>
  createGuard<unknown>({ store: memoryStore({ clock: () => 1_700_000_040_000 }), ...options })

/** The verdict of the last of the guards, which all see one request. */
async function verdictOf(...guards: readonly ReturnType<typeof guardOf>[]) {
  const request = fakeRequest()
  const verdicts = []
  for (const guard of guards) verdicts.push(await guard.check(request, {}))
  return verdicts.at(-1)
}

describe('limiters stacked on one request', () => {
  it('tell of all of them, the later one last', async () => {
    const verdict = await verdictOf(
      guardOf({ limit: minute(20), name: 'app' }),
      guardOf({ limit: { burst: fixedWindow({ limit: 5, window: '1s' }) }, name: 'login' }),
    )
    expect(verdict?.headers).toEqual([
      ['RateLimit-Policy', '"app:1m";q=20;w=60, "login:burst";q=5;w=1'],
      ['RateLimit', '"app:1m";r=19;t=60, "login:burst";r=4;t=1'],
    ])
  })

  it('keep quiet about one that keeps its numbers to itself', async () => {
    const verdict = await verdictOf(
      guardOf({ limit: minute(20), headers: false }),
      guardOf({ limit: minute(5) }),
    )
    expect(verdict?.headers).toEqual([
      ['RateLimit-Policy', '"1m";q=5;w=60'],
      ['RateLimit', '"1m";r=4;t=60'],
    ])
  })

  it('repeat in a form that both use', async () => {
    const verdict = await verdictOf(
      guardOf({ limit: minute(20), headers: ['draft-8', 'legacy'] }),
      guardOf({ limit: minute(5), headers: 'draft-7' }),
    )
    expect(verdict?.headers).toEqual([
      ['RateLimit-Policy', '20;w=60, 5;w=60'],
      ['RateLimit', 'limit=5, remaining=4, reset=60'],
    ])
  })

  it('name the policy that refuses as the fields do', async () => {
    const verdict = await verdictOf(guardOf({ limit: minute(20) }), guardOf({ limit: minute(0) }))
    expect(verdict).toMatchObject({
      headers: [
        ['RateLimit-Policy', '"1m";q=20;w=60, "1m-2";q=0;w=60'],
        ['RateLimit', '"1m";r=19;t=60, "1m-2";r=0'],
        ['Cache-Control', 'no-store'],
      ],
      body: expect.stringContaining('"violated-policies":["1m-2"]'),
    })
  })

  it('name none that refused before and was let pass', async () => {
    const verdict = await verdictOf(guardOf({ limit: minute(0) }), guardOf({ limit: minute(0) }))
    expect(verdict).toMatchObject({ body: expect.stringContaining('"violated-policies":["1m-2"]') })
  })

  it('name the policy that refuses also where the fields do not tell of it', async () => {
    const verdict = await verdictOf(
      guardOf({ limit: minute(20) }),
      guardOf({ limit: minute(0), name: 'secret', headers: false }),
    )
    expect(verdict).toMatchObject({ body: expect.stringContaining('"violated-policies":["secret:1m"]') })
  })
})

describe('options', () => {
  it.each<[string, object, string]>([
    ['row 84', { limit: '1/1m', windowMS: 60_000 }, 'rateLimit: there is no option "windowMS".'],
    ['a peer’s name', { windowMs: 1 }, 'The window is part of the limit here: limit: "100/1m".'],
    [
      'a peer’s name',
      { limit: '1/1m', keyGenerator: () => 'a' },
      'there is no option "keyGenerator". Use key.',
    ],
    ['a typo', { limit: '1/1m', skp: () => true }, 'Did you mean "skip"?'],
    ['no limit', {}, 'limit: takes "100/1m" or a policy'],
    ['a key that is no function', { limit: '1/1m', key: 'ip' }, 'key: takes a function; got "ip"'],
    ['a skip that is no function', { limit: '1/1m', skip: true }, 'skip: takes a function; got true'],
    ['an enabled that is text', { limit: '1/1m', enabled: 'no' }, 'enabled: takes true, false or a function'],
    ['an onDone that is no function', { limit: '1/1m', onDone: 1 }, 'onDone: takes a function; got 1'],
    ['a limiter that is none', { limiter: {} }, 'limiter: takes the result of createLimiter(…)'],
    [
      'limiter and limit',
      { limiter: guardOf({ limit: '1/1m' }).limiter, limit: '1/1m' },
      'limit: belongs to',
    ],
    ['a cost that is text', { limit: '1/1m', cost: '5' }, 'cost: takes a number or a record by policy name'],
    ['a cost below 0', { limit: '1/1m', cost: -1 }, 'cost: must be a whole number of at least 0; got -1'],
    ['a logger that is none', { limit: '1/1m', logger: {} }, 'logger: takes an object with warn'],
    ['a form that is none', { limit: '1/1m', headers: 'draft-5' }, 'headers: takes false or draft-6'],
  ])('%s is refused at construction', (_, options, message) => {
    expect(() => createGuard(options as GuardOptions<unknown>)).toThrow(message)
  })

  it('a second limiter without a name on one store is told to take one', () => {
    createGuard({ limit: '1/1m', store })
    expect(() => createGuard({ limit: '2/1m', store })).toThrow('Give each limiter on a shared store a name')
  })
})
