import { inspect, isDeepStrictEqual } from 'node:util'
import type { Receipt } from '@rl/core'
import { expect, it } from 'vitest'
import { type Answers, MemoryTwins } from './memory-twins.js'
import type { ModelPolicy } from './model.js'
import type { Workload } from './sequence-policies.js'
import { type Step, sequence } from './sequences.js'

/** How many decisions a comparison takes; fewer are enough to show a fault that is everywhere. */
const DECISIONS = Number(process.env.RL_STEPS ?? 100_000)

/** A test: the memory store and the oracle say the same, in every field of so many decisions. */
export function itAgrees(title: string, workload: Workload, decisions = DECISIONS, firstSeed = 0): void {
  // A decision takes 25 µs; other things may run beside it.
  const timeout = 120_000 + decisions
  it(`the memory store says what the oracle says: ${title}`, { timeout }, () => {
    const { compared, difference } = playUntil(decisions, workload, firstSeed)
    expect(difference).toEqual(undefined)
    expect(compared).toBeGreaterThanOrEqual(decisions)
  })
}

interface Run {
  /** Decisions that were the same in every field. */
  readonly compared: number
  /** Where the memory store and the oracle first said different things. */
  readonly difference?: Difference
}

export interface Difference {
  readonly seed: number
  /** How many steps of the sequence it takes. */
  readonly steps: number
  readonly step: Step
  /** Each field that differs: what the store says, then what the oracle says. */
  readonly fields: readonly string[]
}

/** Plays random sequences until so many decisions were compared. Of differences it gives the one with the fewest steps. */
function playUntil(decisions: number, workload: Workload, firstSeed: number): Run {
  let compared = 0
  const differences: Difference[] = []
  for (let seed = firstSeed; compared < decisions && differences.length < ENOUGH; seed++) {
    const run = play(seed, LENGTHS[seed % LENGTHS.length] as number, workload)
    compared += run.compared
    if (run.difference) differences.push(run.difference)
  }
  const [shortest] = differences.sort((a, b) => a.steps - b.steps)
  return shortest ? { compared, difference: shortest } : { compared }
}

/** Differences, to choose the shortest of. */
const ENOUGH = 100

/** Short ones begin afresh often, long ones fill logs. */
export const LENGTHS = [40, 100, 100, 400] as const

function play(seed: number, length: number, workload: Workload): Run {
  const twins = new MemoryTwins(seed % 5 === 4 ? byParity : () => 'one')
  const receipts: (Receipt | null)[] = []
  let compared = 0
  for (const [i, step] of sequence(seed, length, workload).entries()) {
    let receipt: Receipt | null = null
    if (step.type === 'reset') {
      twins.reset(step)
    } else if (step.type === 'settle') {
      const charged = receipts[step.of]
      if (charged) twins.settle(step, i % 2 === 0 ? charged : throughJson(charged))
    } else {
      const answers = twins.consume(step)
      const fields = differing(answers)
      if (fields.length > 0) return { compared, difference: { seed, steps: i + 1, step, fields } }
      receipt = answers.decision.receipt
      compared++
    }
    receipts.push(receipt)
  }
  return { compared }
}

export function byParity({ name }: ModelPolicy): string {
  return Number(name.slice(1)) % 2 === 0 ? 'even' : 'odd'
}

export function throughJson(receipt: Receipt): Receipt {
  return JSON.parse(JSON.stringify(receipt))
}

export function differing({ decision, expected }: Omit<Answers, 'charges'>): readonly string[] {
  if (isDeepStrictEqual(decision, expected)) return []
  const policies = decision.policies.flatMap((policy, i) =>
    differingFields(`policies[${i}].`, { ...policy }, { ...expected.policies[i] }),
  )
  return [...policies, ...differingFields('', { ...decision, policies }, { ...expected, policies })]
}

function differingFields(prefix: string, is: Fields, wanted: Fields): readonly string[] {
  return [...new Set([...Object.keys(is), ...Object.keys(wanted)])]
    .filter((name) => !isDeepStrictEqual(is[name], wanted[name]))
    .map((name) => `${prefix}${name}: ${inspect(is[name])}, not ${inspect(wanted[name])}`)
}

type Fields = { readonly [name: string]: unknown }
