import type { ModelPolicy } from './meter.js'
import type { ModelMode } from './model.js'
import { Random } from './random.js'
import { SequenceClock } from './sequence-clock.js'
import { FAMILIES, PolicyList, RATES, type Workload } from './sequence-policies.js'

export type Step = ConsumeStep | SettleStep | ResetStep

export interface ConsumeStep {
  readonly type: 'consume'
  readonly now: number
  readonly key: string
  readonly policies: readonly ModelPolicy[]
  readonly costs: readonly number[]
  readonly mode: ModelMode
}

/** Corrects the call at index `of` of the sequence; to be left out when that call was refused. */
export interface SettleStep {
  readonly type: 'settle'
  readonly of: number
  readonly now: number
  readonly key: string
  readonly policies: readonly ModelPolicy[]
  readonly charged: readonly number[]
  readonly actual: readonly number[]
  /** Those of the policies that the record names; the others stay as they were charged. */
  readonly named: readonly ModelPolicy[]
  readonly at: number
  /** It was corrected before, so that nothing comes of it. */
  readonly isAgain: boolean
}

/** Forgets a key. */
export interface ResetStep {
  readonly type: 'reset'
  readonly now: number
  readonly key: string
}

/** A random sequence of calls on two keys and one limiter. The same arguments give the same steps. */
export function sequence(
  seed: number,
  length: number,
  workload: Workload = { families: FAMILIES, rates: RATES, debts: true },
): readonly Step[] {
  const random = new Random(seed)
  const policies = new PolicyList(random, workload)
  const clock = new SequenceClock(random)
  const steps: Step[] = []
  const unsettled: number[] = []
  while (steps.length < length) {
    if (random.chance(1)) {
      steps.push({ type: 'reset', now: steps.at(-1)?.now ?? 0, key: aKey(random) })
      continue
    }
    const open = random.chance(workload.settles ?? 14) ? random.int(0, unsettled.length) : unsettled.length
    const [of] = unsettled.splice(open, 1)
    const earlier = of === undefined ? undefined : steps[of]
    if (of !== undefined && earlier?.type === 'consume') {
      const call = { ...earlier, of }
      steps.push(settleStep(random, clock.next(earlier.policies), call, workload))
      if (random.chance(15)) {
        const again = settleStep(random, clock.next(earlier.policies), call, workload)
        steps.push({ ...again, isAgain: true })
      }
      continue
    }
    const step = consumeStep(random, clock, policies.next(), workload)
    if (step.mode !== 'peek') unsettled.unshift(steps.length)
    unsettled.length = Math.min(unsettled.length, 8)
    steps.push(step)
  }
  return steps
}

function consumeStep(
  random: Random,
  clock: SequenceClock,
  policies: readonly ModelPolicy[],
  { debts }: Workload,
): ConsumeStep {
  const now = clock.next(policies)
  const key = aKey(random)
  const mode = random.weighted<ModelMode>([
    [86, 'ask'],
    [9, 'peek'],
    [5, debts ? 'force' : 'ask'],
  ])
  const least = policies.reduce((low, policy) => (policy.limit < low.limit ? policy : low))
  const same = random.chance(50) ? cost(random, least) : undefined
  const costs = policies.map((policy) => (random.chance(rarely(policy)) ? 0 : (same ?? cost(random, policy))))
  return { type: 'consume', now, key, policies, costs, mode }
}

function aKey(random: Random): string {
  return random.weighted([
    [3, 'anna'],
    [1, 'bert'],
  ])
}

function settleStep(
  random: Random,
  now: number,
  call: ConsumeStep & { of: number },
  { debts }: Workload,
): SettleStep {
  const { of, key, policies, costs: charged, now: at } = call
  const isPartial = random.chance(25)
  const named = isPartial ? policies.filter(() => random.chance(50)) : policies
  const actual = charged.map((cost, i) => {
    if (!named.includes(policies[i] as ModelPolicy)) return cost
    const used = random.weighted([
      [4, 0],
      [4, random.int(0, cost)],
      [2, cost],
      [2, cost + random.int(0, 3)],
      [1, cost * 2],
    ])
    return debts ? used : Math.min(used, cost)
  })
  return { type: 'settle', of, now, key, policies, charged, actual, named, at, isAgain: false }
}

/** From nothing to more than can ever pass. */
function cost(random: Random, { limit }: ModelPolicy): number {
  return random.weighted([
    [5, 0],
    [48, 1],
    [15, random.int(2, 5)],
    [14, random.int(1, limit)],
    [8, Math.ceil(limit / 2)],
    [6, limit],
    [2, limit + 1],
    [2, random.int(limit, limit * 2)],
  ])
}

/** Percent of calls that leave a policy out: a policy that is almost always used up would hide the others. */
function rarely({ limit, windowMs }: ModelPolicy): number {
  return windowMs / limit > 60_000 ? 60 : 8
}
