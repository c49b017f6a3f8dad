// One contender in one scenario, in a process of its own: prints the nanoseconds of a decision.
import { contenders } from './contenders.mjs'
import { scenarios } from './scenarios.mjs'

const [contenderName = '', scenarioName = ''] = process.argv.slice(2)
const contender = /** @type {import('./contenders.mjs').Contender} */ (contenders[contenderName])
const { keys, policies } = /** @type {import('./scenarios.mjs').Scenario} */ (scenarios[scenarioName])

/** A batch is short enough to come through undisturbed now and then, long enough to pay for its garbage. */
const DECISIONS = Math.max(keys, 20_000)
const WARM_UP_MS = 300
const MEASURED_MS = 500
/** Coprime to the number of keys: all come once in a batch, no two neighbours in a row. */
const STRIDE = 61_803

const decide = await contender.make(policies, keys)
const batch = contender.promises ? waitingBatch : plainBatch
await best(WARM_UP_MS)
console.log(JSON.stringify({ ns: await best(MEASURED_MS) }))
process.exit()

/** The quickest of many batches: noise only ever adds. @param {number} forMs */
async function best(forMs) {
  const end = performance.now() + forMs
  let quickest = Number.POSITIVE_INFINITY
  while (performance.now() < end) {
    const start = process.hrtime.bigint()
    const sum = await batch()
    const ns = Number(process.hrtime.bigint() - start) / DECISIONS
    if (Number.isNaN(sum)) throw new Error(`${contenderName} answered with something that is no number`)
    quickest = Math.min(quickest, ns)
  }
  return quickest
}

function plainBatch() {
  let sum = 0
  if (keys === 1) for (let i = 0; i < DECISIONS; i++) sum += /** @type {number} */ (decide('client-1'))
  else
    for (let i = 0, at = 0; i < DECISIONS; i++, at = (at + STRIDE) % keys)
      sum += /** @type {number} */ (decide(`client-${at}`))
  return sum
}

async function waitingBatch() {
  let sum = 0
  if (keys === 1) for (let i = 0; i < DECISIONS; i++) sum += await decide('client-1')
  else
    for (let i = 0, at = 0; i < DECISIONS; i++, at = (at + STRIDE) % keys) sum += await decide(`client-${at}`)
  return sum
}
