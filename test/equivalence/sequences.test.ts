import { describe, expect, it } from 'vitest'
import { Model, type ModelDecision, type ModelPolicy } from './model.js'
import { replay } from './replay.js'
import { type ConsumeStep, type Step, sequence } from './sequences.js'

const SEEDS = Array.from({ length: 80 }, (_, seed) => seed)
const LENGTH = 100

describe('random sequences', () => {
  it('are the same for the same seed and others for another', () => {
    expect(sequence(7, LENGTH)).toEqual(sequence(7, LENGTH))
    expect(sequence(7, LENGTH)).not.toEqual(sequence(8, LENGTH))
  })

  it('go back in time in 10 to 15 of 100 steps and never below zero', () => {
    const moves = SEEDS.map((seed) => sequence(seed, LENGTH).map(({ now }) => now))
    const back = moves.flatMap((times) => times.filter((now, i) => now < (times[i - 1] ?? 0)))
    expect(back.length / SEEDS.length / LENGTH).toBeGreaterThan(0.1)
    expect(back.length / SEEDS.length / LENGTH).toBeLessThan(0.15)
    expect(Math.min(...moves.flat())).toBe(0)
  })

  it('are refused about as often as allowed', () => {
    const asked = SEEDS.flatMap((seed) => outcomes(sequence(seed, LENGTH))).filter(
      ([{ mode }]) => mode === 'ask',
    )
    const allowed = asked.filter(([, decision]) => decision.allowed)
    expect(allowed.length / asked.length).toBeGreaterThan(0.4)
    expect(allowed.length / asked.length).toBeLessThan(0.7)
  })

  it('give every policy a name of its own', () => {
    const steps = SEEDS.flatMap((seed) => sequence(seed, LENGTH))
    const lists = steps.map((step) => (step.type === 'reset' ? [] : step.policies))
    const doubled = lists.filter((list) => new Set(list.map(({ name }) => name)).size !== list.length)
    expect(doubled).toEqual([])
  })
})

describe('the oracle keeps the laws on random sequences', () => {
  it('remaining passes, one more does not, and it grows when it says', () => {
    everyAsk((_, policy, { remaining, limit, nextAfterMs }, passes) => {
      expect(passes(remaining, 0)).toBe(true)
      expect(passes(remaining + 1, 0)).toBe(false)
      if (remaining === limit) expect(nextAfterMs).toBe(limit === 0 ? null : 0)
      else expect(passes(remaining + 1, nextAfterMs ?? Number.NaN), policy.kind).toBe(true)
      if (remaining < limit) expect(passes(remaining + 1, (nextAfterMs ?? 0) - 1)).toBe(false)
    })
  })

  it('a refused cost passes after exactly its wait', () => {
    everyAsk((cost, _, { allowed, limit, retryAfterMs }, passes) => {
      if (allowed) return
      if (retryAfterMs === null) return expect(cost).toBeGreaterThan(limit)
      expect(passes(cost, retryAfterMs)).toBe(true)
      expect(passes(cost, retryAfterMs - 1)).toBe(false)
    })
  })

  it('after the reset the limit passes, 1 ms earlier it does not', () => {
    everyAsk((_, policy, { limit, resetAfterMs }, passes) => {
      expect(passes(limit, resetAfterMs)).toBe(true)
      const isDue = resetAfterMs > 0 && limit > 0
      if (isDue) expect(passes(limit, resetAfterMs - 1), policy.kind).toBe(false)
    })
  })
})

type Passes = (cost: number, afterMs: number) => boolean
type Law = (
  cost: number,
  policy: ModelPolicy,
  result: ModelDecision['results'][number],
  passes: Passes,
) => void

/** Holds a law against each policy of each call that asked; `passes` peeks at that policy alone. */
function everyAsk(law: Law): void {
  for (const seed of SEEDS) {
    const model = new Model()
    const steps = sequence(seed, LENGTH)
    replay(model, steps, ({ key, policies, costs, now, mode }, { results }) => {
      if (mode !== 'ask') return
      policies.forEach((policy, i) => {
        const result = results[i]
        if (result === undefined) throw new RangeError('a result for each policy')
        law(costs[i] ?? 0, policy, result, (cost, afterMs) => {
          return model.consume(key, [policy], [cost], now + afterMs, 'peek').allowed
        })
      })
    })
  }
}

function outcomes(steps: readonly Step[]): readonly (readonly [ConsumeStep, ModelDecision])[] {
  const seen: (readonly [ConsumeStep, ModelDecision])[] = []
  replay(new Model(), steps, (step, decision) => seen.push([step, decision]))
  return seen
}
