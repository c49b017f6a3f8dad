import fc from 'fast-check'
import { type BareItem, parseDictionary, parseItem, parseList } from 'structured-headers'
import { expect, test } from 'vitest'
import { createLimiter } from '../limiter.js'
import { memoryStore } from '../memory/memory-store.js'
import type { Counted } from '../model/decision.js'
import { fixedWindow, type Policy, slidingLog, slidingWindow, tokenBucket } from '../model/policy.js'
import { fieldWriter, type HeadersOption, refusalFields, retryAfter } from './headers.js'

const START = 1_700_000_000_000
const MAX_INTEGER = 999_999_999_999_999

const windows = fc.oneof(
  fc.constantFrom(1, 999, 1000, 60_000, 86_400_000, 3_155_760_000_000),
  fc.integer({ min: 1, max: 100_000 }),
)
const small = fc.integer({ min: 0, max: 30 })

/** Every kind, with limits from nothing to the most that its window allows. */
const policies: fc.Arbitrary<Policy> = windows.chain((window) => {
  const most = Math.min(MAX_INTEGER, Math.floor(Number.MAX_SAFE_INTEGER / window))
  const exact = fc.oneof(
    { weight: 3, arbitrary: small },
    fc.maxSafeNat().map((n) => n % (most + 1)),
  )
  const any = fc.oneof({ weight: 3, arbitrary: small }, fc.constantFrom(MAX_INTEGER, MAX_INTEGER - 1))
  const refills = fc.integer({ min: 1, max: 50 })
  return fc.oneof(
    any.map((limit) => fixedWindow({ limit, window })),
    any.map((limit) => fixedWindow({ limit, window, align: 'first-hit' })),
    any.map((limit) => slidingLog({ limit, window })),
    exact.map((limit) => slidingWindow({ limit: Math.min(limit, most), window })),
    fc
      .tuple(exact, refills)
      .map(([limit, refill]) => tokenBucket({ capacity: Math.min(limit, most), refill, per: window })),
  )
})

const steps = fc.array(
  fc.record({
    wait: fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 200_000 })),
    cost: fc.oneof(small, fc.constant(MAX_INTEGER)),
  }),
  { minLength: 1, maxLength: 12 },
)

/** What a limiter with these policies decides, step by step. */
function* decisions(
  limit: readonly Policy[],
  taken: readonly { wait: number; cost: number }[],
): Generator<{ decision: Counted; again: (waitMs: number) => Counted }> {
  let now = START
  const named = Object.fromEntries(limit.map((policy, i) => [`p${i}`, policy]))
  const limiter = createLimiter({ limit: named, store: memoryStore({ clock: () => now }) })
  for (const { wait, cost } of taken) {
    now += wait
    const decision = limiter.consume('key', { cost }) as Counted
    const again = (waitMs: number) => {
      now += waitMs
      const peeked = limiter.peek('key', { cost }) as Counted
      now -= waitMs
      return peeked
    }
    yield { decision, again }
  }
}

const someLimits = fc.array(policies, { minLength: 1, maxLength: 3 })

function law(holds: (decision: Counted, again: (waitMs: number) => Counted) => void): void {
  const property = fc.property(someLimits, steps, (limit, taken) => {
    for (const { decision, again } of decisions(limit, taken)) holds(decision, again)
  })
  fc.assert(property, { numRuns: 300 })
}

/** The numbers of a field; throws where it is none, or has more than 15 digits. */
function integersOf(name: string, value: string): readonly number[] {
  if (name.startsWith('X-')) return [Number(/^\d{1,15}$/.exec(value)![0])]
  if (/^RateLimit-(Limit|Remaining|Reset)$/.test(name)) return [parseItem(value)[0] as number]
  if (value.startsWith('limit=')) return [...parseDictionary(value).values()].map(([item]) => item as number)
  const isNumber = (item: BareItem | undefined): item is number => typeof item === 'number'
  return parseList(value).flatMap(([item, parameters]) =>
    [item as BareItem, ...parameters.values()].filter(isNumber),
  )
}

test.each<[HeadersOption]>([['draft-6'], ['draft-7'], ['draft-8'], ['legacy']])(
  'whatever is decided, every field of %s can be read, and its numbers are whole, ≥ 0 and of 15 digits at most',
  (form) => {
    const write = fieldWriter(form)
    law(({ policies }) => {
      for (const [name, value] of write(policies)) {
        const numbers = integersOf(name, value)
        expect(numbers.length).toBeGreaterThan(0)
        for (const n of numbers) expect(Number.isInteger(n) && n >= 0 && n <= MAX_INTEGER).toBe(true)
      }
    })
  },
)

test('B40: whoever waits for as long as Retry-After says is let in', () => {
  law((decision, again) => {
    for (const [, value] of retryAfter(decision))
      if (!decision.allowed) expect(again(Number(value) * 1000)).toMatchObject({ allowed: true })
  })
})

test('no policy that refuses says a longer t than Retry-After', () => {
  const write = fieldWriter('draft-8')
  law((decision) => {
    const wait = Number(retryAfter(decision)[0]?.[1])
    const standings = parseList(write(decision.policies)[1]![1])
    decision.policies.forEach(({ allowed }, i) => {
      const t = standings[i]?.[1].get('t')
      if (!allowed && wait > 0 && t !== undefined) expect(t).toBeLessThanOrEqual(wait)
    })
  })
})

test('the reset of drafts 6 and 7 names the same moment as Retry-After', () => {
  const write = fieldWriter('draft-6')
  law((decision) => {
    const wait = retryAfter(decision)[0]?.[1]
    const reset = new Map(write(decision.policies)).get('RateLimit-Reset')
    if (!decision.allowed && wait !== undefined) expect(reset).toBe(wait)
  })
})

test('what a writer remembers changes no field of the next response', () => {
  const write = fieldWriter('draft-8')
  const complete = refusalFields()
  law((decision) => {
    const fields = write(decision.policies)
    expect(fields).toEqual(fieldWriter('draft-8')(decision.policies))
    expect(complete(fields, decision)).toEqual(refusalFields()(fields, decision))
  })
})
