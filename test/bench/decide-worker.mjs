// One contender in one scenario, in a process of its own: prints the nanoseconds of a decision.
import { contenders } from './contenders.mjs'
import { quickest } from './quickest.mjs'
import { KEYS, keyOf, scenarios } from './scenarios.mjs'

const [contenderName = '', scenarioName = ''] = process.argv.slice(2)
const contender = /** @type {import('./contenders.mjs').Contender} */ (contenders[contenderName])
const { keys, policies } = /** @type {import('./scenarios.mjs').Scenario} */ (scenarios[scenarioName])

/** A batch is short, to come through undisturbed now and then, but long enough to pay for its garbage. */
const DECISIONS = keys === 'one' ? 20_000 : KEYS
/** Coprime to the number of keys: all come once, none after its neighbour. */
const STRIDE = 61_803

const batch = contender.promises ? waitingBatch : plainBatch
let decide = await newContender()
console.log(JSON.stringify({ value: await quickest(DECISIONS, keys === 'new' ? newBatch : batch) }))
// Some contenders have timers that would keep the process.
process.exit()

async function newBatch() {
  decide = await newContender()
  return batch()
}

function newContender() {
  return contender.make(policies, keys === 'one' ? 1 : KEYS)
}

function plainBatch() {
  let sum = 0
  for (let i = 0, at = 0; i < DECISIONS; i++, at = (at + STRIDE) % KEYS) {
    sum += /** @type {number} */ (decide(keys === 'one' ? '10.0.0.1' : keyOf(at)))
  }
  return sum
}

async function waitingBatch() {
  let sum = 0
  for (let i = 0, at = 0; i < DECISIONS; i++, at = (at + STRIDE) % KEYS) {
    sum += await decide(keys === 'one' ? '10.0.0.1' : keyOf(at))
  }
  return sum
}
