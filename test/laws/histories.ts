import type { Policy } from '@rl/core'
import fc from 'fast-check'
import type { Subject } from './subjects.js'

/** One thing that happens to a subject: some time after the thing before, or before it. */
export interface Event {
  readonly gap: Gap
  readonly act: 'ask' | 'force' | 'peek' | 'settle'
  readonly cost: Cost
}

/** Time in whole windows, thousandths of one, and milliseconds. */
export interface Gap {
  readonly windows: number
  readonly thousandths: number
  readonly ms: number
}

/** In units, and in hundredths of the limit. */
export interface Cost {
  readonly units: number
  readonly hundredths: number
}

const thousandths = fc.oneof({ weight: 2, arbitrary: fc.constant(0) }, fc.integer({ min: 0, max: 1000 }))
const none = { weight: 3, arbitrary: fc.constant(0) }

const gapsOn: fc.Arbitrary<Gap> = fc.record({
  windows: fc.oneof(none, fc.integer({ min: 0, max: 3 })),
  thousandths,
  ms: fc.integer({ min: 0, max: 2 }),
})

const gapsBack: fc.Arbitrary<Gap> = fc.record({
  windows: fc.oneof(none, fc.integer({ min: -3, max: 0 })),
  thousandths: thousandths.map((n) => -n),
  ms: fc.integer({ min: -2, max: 0 }),
})

const gapsBoth = fc.oneof({ weight: 5, arbitrary: gapsOn }, { weight: 1, arbitrary: gapsBack })

export const costs: fc.Arbitrary<Cost> = fc.record({
  units: fc.integer({ min: 0, max: 3 }),
  hundredths: fc.oneof(none, fc.integer({ min: 0, max: 120 })),
})

const acts = fc.oneof(
  { weight: 6, arbitrary: fc.constant('ask' as const) },
  fc.constantFrom('force' as const, 'peek' as const, 'settle' as const),
)

export interface History {
  readonly start: Gap
  readonly events: readonly Event[]
}

const starts = fc.record({
  windows: fc.integer({ min: 0, max: 9 }),
  thousandths,
  ms: fc.oneof(fc.constant(0), fc.constant(1_700_000_000_123)),
})

/** What happened to a subject, with a clock that at times goes back. */
export const histories: fc.Arbitrary<History> = historiesWith(gapsBoth)

/** The same with a clock that only goes on. */
export const steadyHistories: fc.Arbitrary<History> = historiesWith(gapsOn)

export { gapsBack, gapsBoth, gapsOn }

function historiesWith(gaps: fc.Arbitrary<Gap>): fc.Arbitrary<History> {
  const events = fc.array(fc.record({ gap: gaps, act: acts, cost: costs }), { maxLength: 14 })
  return fc.record({ start: starts, events })
}

export function ms({ windowMs }: Policy, { windows, thousandths, ms }: Gap): number {
  return windows * windowMs + Math.trunc((windowMs * thousandths) / 1000) + ms
}

export function units({ limit }: Policy, { units, hundredths }: Cost): number {
  return units + Math.floor((limit * hundredths) / 100)
}

/** Lets a history happen, and tells when it ended. Settles give back, in full, what was last asked for. */
export function play(subject: Subject, policy: Policy, { start, events }: History): number {
  let now = ms(policy, start)
  let last = { at: now, cost: 0 }
  for (const { gap, act, cost } of events) {
    now = Math.max(0, now + ms(policy, gap))
    const asked = units(policy, cost)
    if (act === 'settle') {
      subject.settle(now, last.at, -last.cost)
    } else {
      const { allowed } = subject[act](now, asked)
      if (allowed && act !== 'peek') last = { at: now, cost: asked }
    }
  }
  return now
}
