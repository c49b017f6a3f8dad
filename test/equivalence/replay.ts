import type { Model, ModelDecision } from './model.js'
import type { ConsumeStep, Step } from './sequences.js'

/** Runs steps on a model and shows each decision as it falls; leaves out settles of refused calls. */
export function replay(
  model: Model,
  steps: readonly Step[],
  show: (step: ConsumeStep, decision: ModelDecision) => void,
): void {
  const allowed: boolean[] = []
  for (const step of steps) {
    if (step.type === 'reset') {
      model.reset(step.key)
      allowed.push(false)
      continue
    }
    if (step.type === 'settle') {
      const { key, policies, charged, actual, at, now } = step
      if (allowed[step.of] && !step.isAgain) model.settle(key, policies, charged, actual, at, now)
      allowed.push(false)
      continue
    }
    const decision = model.consume(step.key, step.policies, step.costs, step.now, step.mode)
    allowed.push(decision.allowed)
    show(step, decision)
  }
}
