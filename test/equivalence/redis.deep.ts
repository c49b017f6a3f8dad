import { useInjectedClients } from './injected-client.js'
import { itAgreesInRedis } from './redis-run.js'
import { EDGE_RATES, FAMILIES, RATES } from './sequence-policies.js'

/** Other seeds than those of the normal tests. */
const FIRST_SEED = 1_000_000
const SMALL_BLOCKS = [1, 2, 3, 5]
const client = useInjectedClients([...SMALL_BLOCKS, 256])

itAgreesInRedis('all kinds in one decision, a million times', () => ({
  client: client(256),
  workload: { families: FAMILIES, rates: RATES, debts: true },
  decisions: 1_000_000,
  firstSeed: FIRST_SEED,
}))

itAgreesInRedis('at the edge of what is exact, a quarter of a million times', () => ({
  client: client(256),
  workload: { families: FAMILIES, rates: EDGE_RATES, debts: false },
  decisions: 250_000,
  firstSeed: FIRST_SEED,
}))

for (const block of SMALL_BLOCKS) {
  itAgreesInRedis(`logs in blocks of ${block}, a quarter of a million times`, () => ({
    client: client(block),
    workload: { families: ['sliding-log'], rates: RATES, debts: true },
    decisions: 250_000,
    firstSeed: FIRST_SEED,
  }))
}
