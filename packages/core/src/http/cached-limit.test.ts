import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { fakeRequest } from '../../../../test/support/fake-request.js'
import { memoryStore } from '../memory/memory-store.js'
import type { Limit } from '../model/limit.js'
import { cachedLimit } from './cached-limit.js'
import type { CachedLimitOptions } from './cached-limit-options.js'
import { createGuard } from './guard.js'
import type { Verdict } from './verdict.js'

beforeEach(() => {
  vi.useFakeTimers()
})

afterEach(() => {
  vi.useRealTimers()
})

type Options = Partial<CachedLimitOptions<string>>

/** A cached limit for contexts that are the key themselves, with what `load` gives in turn; the last one again and again. */
function cached(answers: readonly (() => unknown)[], options: Options = {}) {
  const logger = { warn: vi.fn(), error: vi.fn() }
  let calls = 0
  const load = vi.fn((_ctx: string) => answers[Math.min(calls++, answers.length - 1)]?.() as Limit)
  const limit = cachedLimit(load, { by: (ctx) => ctx, ttl: '10s', onError: '1/1m', logger, ...options })
  return { load, logger, limit, limitOf: (key: string) => limit(key, fakeRequest()) }
}

const gives = (value: unknown) => () => value
const later = (value: unknown, ms: number) => () => new Promise((resolve) => setTimeout(resolve, ms, value))
const throws = () => {
  throw new Error('no database')
}
const rejects = () => Promise.reject(new Error('no database'))
const hangs = () => new Promise(() => {})

/** `onError: '1/1m'`, as the policy that it is. */
const FALLBACK = [expect.objectContaining({ name: '1m', limit: 1 })]

describe('a limit that was loaded', () => {
  it('is loaded once in its time, and again after it', () => {
    const { load, limitOf } = cached([gives('5/1m'), gives('9/1m')])
    expect([limitOf('a'), limitOf('a')]).toEqual(['5/1m', '5/1m'])
    vi.advanceTimersByTime(9999)
    expect(limitOf('a')).toBe('5/1m')
    vi.advanceTimersByTime(1)
    expect(limitOf('a')).toBe('9/1m')
    expect(load).toHaveBeenCalledTimes(2)
  })

  it('is one for each key', () => {
    const { limitOf } = cached([gives('5/1m'), gives('9/1m')])
    expect([limitOf('a'), limitOf('b'), limitOf('a'), limitOf('__proto__')]).toEqual([
      '5/1m',
      '9/1m',
      '5/1m',
      '9/1m',
    ])
  })

  it('needs no promise where none was given, and none once it is known', async () => {
    const { limitOf, logger } = cached([later('5/1m', 10)])
    const loading = limitOf('a')
    expect(loading).toBeInstanceOf(Promise)
    await vi.advanceTimersByTimeAsync(10)
    expect([await loading, limitOf('a')]).toEqual(['5/1m', '5/1m'])
    expect(vi.getTimerCount()).toBe(0)
    await vi.advanceTimersByTimeAsync(5000)
    expect(logger.error).not.toHaveBeenCalled()
  })

  it('is not changed by a later change of its object', () => {
    const record = { limit: { burst: '5/1s' } }
    const { limitOf } = cached([gives(record.limit)])
    limitOf('a')
    record.limit.burst = '5000/1s'
    expect(limitOf('a')).toEqual([expect.objectContaining({ name: 'burst', limit: 5 })])
  })

  it('is loaded once however many wait for it', async () => {
    const { load, limitOf } = cached([later('5/1m', 10)])
    const waiting = Array.from({ length: 1000 }, () => limitOf('a'))
    await vi.advanceTimersByTimeAsync(10)
    expect(new Set(await Promise.all(waiting))).toEqual(new Set(['5/1m']))
    expect(load).toHaveBeenCalledOnce()
  })

  it('is loaded again once it is forgotten, also while it is being loaded', async () => {
    const { limit, limitOf } = cached([later('5/1m', 10), gives('9/1m')])
    const old = limitOf('a')
    limit.forget('a')
    expect(limitOf('a')).toBe('9/1m')
    await vi.advanceTimersByTimeAsync(10)
    expect([await old, limitOf('a')]).toEqual(['5/1m', '9/1m'])
  })

  it('is kept for so many keys, the ones used last', () => {
    const { load, limitOf } = cached([gives('5/1m')], { maxKeys: 2 })
    for (const key of ['a', 'b', 'a', 'c', 'a']) limitOf(key)
    expect(load).toHaveBeenCalledTimes(3)
    limitOf('b')
    expect(load).toHaveBeenCalledTimes(4)
  })
})

describe('a load that fails never means "no limit"', () => {
  it.each<[string, () => unknown]>([
    ['throws', throws],
    ['throws undefined', () => Promise.reject()],
    ['rejects', rejects],
    ['undefined', gives(undefined)],
    ['null', gives(null)],
    ['NaN', gives(Number.NaN)],
    ['a number', gives(100)],
    ['Infinity', gives(Number.POSITIVE_INFINITY)],
    ['a negative limit', gives('-1/1m')],
    ['a text that does not parse', gives('lots')],
    ['an empty text', gives('')],
    ['an empty list', gives([])],
    ['an object', gives({})],
    ['true', gives(true)],
    ['per-call', gives('per-call')],
    ['a later NaN', later(Number.NaN, 0)],
    ['a later undefined', later(undefined, 0)],
  ])('%s', async (_, answer) => {
    const { limitOf, logger } = cached([answer])
    const limit = limitOf('a')
    await vi.advanceTimersByTimeAsync(1)
    expect(await limit).toEqual(FALLBACK)
    expect(logger.error).toHaveBeenCalledOnce()
  })

  it('0 is a limit: it blocks everything', () => {
    expect(cached([gives('0/1m')]).limitOf('a')).toBe('0/1m')
  })

  it('one that hangs is given up after its time', async () => {
    const { limitOf, logger } = cached([hangs], { timeout: '200ms' })
    const limit = limitOf('a')
    await vi.advanceTimersByTimeAsync(200)
    expect(await limit).toEqual(FALLBACK)
    expect(logger.error.mock.calls).toEqual([
      [
        '[rl] cachedLimit: a limit could not be loaded; the limit of onError holds instead. ' +
          '"no answer within 200 ms"',
      ],
    ])
    expect(vi.getTimerCount()).toBe(0)
  })

  it('its failure holds for a second, then it is loaded again', () => {
    const { load, limitOf } = cached([throws, gives('5/1m')])
    expect(limitOf('a')).toEqual(FALLBACK)
    vi.advanceTimersByTime(999)
    expect(limitOf('a')).toEqual(FALLBACK)
    expect(load).toHaveBeenCalledOnce()
    vi.advanceTimersByTime(1)
    expect(limitOf('a')).toBe('5/1m')
  })

  it('never for longer than a success, unless it is said', () => {
    const { load, limitOf } = cached([throws], { ttl: '100ms' })
    limitOf('a')
    vi.advanceTimersByTime(100)
    limitOf('a')
    expect(load).toHaveBeenCalledTimes(2)
  })

  it('what comes too late is kept all the same', async () => {
    const { load, limitOf } = cached([later('5/1m', 1500)])
    const limit = limitOf('a')
    await vi.advanceTimersByTimeAsync(1500)
    expect([await limit, limitOf('a')]).toEqual([FALLBACK, '5/1m'])
    expect(load).toHaveBeenCalledOnce()
  })

  it('unless a newer load has begun', async () => {
    const { limitOf } = cached([later('5/1m', 3000), gives('9/1m')])
    limitOf('a')
    await vi.advanceTimersByTimeAsync(2000)
    expect(limitOf('a')).toBe('9/1m')
    await vi.advanceTimersByTimeAsync(1500)
    expect(limitOf('a')).toBe('9/1m')
  })

  it('what fails after its time is not told twice', async () => {
    const late = () => new Promise((_, reject) => setTimeout(reject, 1500, new Error('late')))
    const { limitOf, logger } = cached([late, throws])
    limitOf('a')
    await vi.advanceTimersByTimeAsync(10_000)
    limitOf('b')
    // The second line stands for one failure: that of b.
    expect(logger.error.mock.calls.map(([line]) => /\d+ loads failed/.test(line))).toEqual([false, false])
  })

  it('is told once, then every five seconds with the number that it stands for', () => {
    const { limitOf, logger } = cached([throws])
    for (let i = 0; i < 100; i++) limitOf(`user-${i}`)
    expect(logger.error.mock.calls).toEqual([
      ['[rl] cachedLimit: a limit could not be loaded; the limit of onError holds instead. "no database"'],
    ])
    vi.advanceTimersByTime(5000)
    limitOf('user-0')
    expect(logger.error.mock.calls[1]).toEqual([
      '[rl] cachedLimit: a limit could not be loaded; the limit of onError holds instead ' +
        '(100 loads failed since the last line). "no database"',
    ])
  })

  it('a message is one line, however it is made', () => {
    const { limitOf, logger } = cached([
      () => {
        throw new Error(`\u001b[31mred\r\n${'x'.repeat(1_000_000)}`)
      },
    ])
    limitOf('a')
    const [line] = logger.error.mock.calls[0] as [string]
    expect(line.length).toBeLessThan(300)
    expect(line).not.toMatch(/\p{Cc}/u)
  })

  it('a logger that throws breaks nothing', () => {
    const { limitOf } = cached([throws], { logger: { warn: throws, error: throws } })
    expect(limitOf('a')).toEqual(FALLBACK)
  })
})

describe('stale', () => {
  it('a limit holds beyond its time while a newer one is being loaded', async () => {
    const { limitOf, load } = cached([gives('5/1m'), later('9/1m', 100)], { stale: '5s' })
    limitOf('a')
    vi.advanceTimersByTime(10_000)
    expect([limitOf('a'), limitOf('a')]).toEqual(['5/1m', '5/1m'])
    await vi.advanceTimersByTimeAsync(100)
    expect(limitOf('a')).toBe('9/1m')
    expect(load).toHaveBeenCalledTimes(2)
  })

  it('and while none can be loaded, but no longer than is said', () => {
    const { limitOf } = cached([gives('5/1m'), throws], { stale: '5s' })
    limitOf('a')
    vi.advanceTimersByTime(10_000)
    expect(limitOf('a')).toBe('5/1m')
    vi.advanceTimersByTime(4999)
    expect(limitOf('a')).toBe('5/1m')
    vi.advanceTimersByTime(1)
    expect(limitOf('a')).toEqual(FALLBACK)
  })

  it('without it none holds beyond its time', () => {
    const { limitOf } = cached([gives('5/1m'), throws])
    limitOf('a')
    vi.advanceTimersByTime(10_000)
    expect(limitOf('a')).toEqual(FALLBACK)
  })
})

describe('as the limit of a guard', () => {
  const guarded = (limit: ReturnType<typeof cached>['limit']) => {
    const guard = createGuard<string>({
      limit,
      key: (ctx) => ctx,
      store: memoryStore({ clock: () => 1_700_000_040_000 }),
    })
    return (key: string) => guard.check(fakeRequest(), key) as Verdict
  }

  it('refuse is a 503 that counts nothing and invents no number', () => {
    const check = guarded(cached([throws, gives('5/1m')], { onError: 'refuse' }).limit)
    expect(check('a')).toMatchObject({
      allowed: false,
      status: 503,
      headers: [['Cache-Control', 'no-store']],
      result: { counted: false, source: 'closed', reason: 'limit-unknown', key: 'a' },
    })
    vi.advanceTimersByTime(1000)
    expect(check('a')).toMatchObject({ allowed: true, result: { remaining: 4 } })
  })

  it('a limit that changes keeps what was counted', () => {
    const { limit } = cached([gives('5/1m'), gives('9/1m')])
    const check = guarded(limit)
    check('a')
    limit.forget('a')
    expect(check('a')).toMatchObject({ result: { limit: 9, used: 2 } })
  })

  it.each([[undefined], [null], [''], [{}], [Number.NaN]])(
    'by: %j is an error, not a limit for all',
    (key) => {
      const { limit } = cached([gives('5/1m')], { by: () => key as string })
      expect(() => guarded(limit)('a')).toThrow(expect.objectContaining({ code: 'RL_KEY' }))
    },
  )
})

describe('options are checked at construction', () => {
  const by = () => 'a'
  it.each<[options: unknown, message: string]>([
    [undefined, 'cachedLimit: takes an object of options'],
    [{ ttl: '1m', onError: 'refuse' }, 'by: is a function'],
    [{ by, onError: 'refuse' }, 'ttl: '],
    [{ by, ttl: '0s', onError: 'refuse' }, 'ttl: '],
    [{ by, ttl: '1m' }, 'onError: '],
    [{ by, ttl: '1m', onError: 'allow' }, 'onError: '],
    [{ by, ttl: '1m', onError: Number.NaN }, 'onError: '],
    [{ by, ttl: '1m', onError: 'refuse', maxKeys: 0 }, 'maxKeys: '],
    [{ by, ttl: '1m', onError: 'refuse', maxKeys: 1e9 }, 'maxKeys: '],
    [{ by, ttl: '1m', onError: 'refuse', timeout: '1h' }, 'timeout: is 10 minutes at most'],
    [{ by, ttl: '1m', onError: 'refuse', stale: 'long' }, 'stale: '],
    [{ by, ttl: '1m', onError: 'refuse', onerror: '1/1m' }, 'cachedLimit: there is no option "onerror"'],
  ])('%o', (options, message) => {
    expect(() => cachedLimit(() => '5/1m', options as CachedLimitOptions<unknown>)).toThrow(
      expect.objectContaining({ code: 'RL_CONFIG', message: expect.stringContaining(message) }),
    )
  })

  it('load is a function', () => {
    expect(() => cachedLimit('5/1m' as never, { by, ttl: '1m', onError: 'refuse' })).toThrow(
      'cachedLimit: takes',
    )
  })
})

describe('the line of a failure', () => {
  it('has the value, however long the advice before it', () => {
    const { logger, limitOf } = cached([gives('100 per fortnight')])
    limitOf('a')
    expect(logger.error).toHaveBeenCalledWith(expect.stringMatching(/got .{0,2}"100 per fortnight.{0,2}"/))
  })

  it('is short and on one line whatever the error says', () => {
    const fails = () => {
      throw new Error('x\n'.repeat(100_000))
    }
    const { logger, limitOf } = cached([fails])
    limitOf('a')
    const [line] = logger.error.mock.calls[0] as [string]
    expect(line.length).toBeLessThan(600)
    expect(line).not.toContain('\n')
  })
})
