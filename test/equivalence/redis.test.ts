import { useInjectedClients } from './injected-client.js'
import { itAgreesInRedis } from './redis-run.js'
import { EDGE_RATES, FAMILIES, RATES } from './sequence-policies.js'

/** Blocks as they are have no edge in a log this short. */
const SMALL_BLOCKS = [1, 2, 3, 5]
const client = useInjectedClients([...SMALL_BLOCKS, 256])

itAgreesInRedis('all kinds in one decision', () => ({
  client: client(256),
  workload: { families: FAMILIES, rates: RATES, debts: true },
  decisions: 10_000,
}))

itAgreesInRedis('at the edge of what is exact', () => ({
  client: client(256),
  workload: { families: FAMILIES, rates: EDGE_RATES, debts: false },
  decisions: 3000,
}))

for (const block of SMALL_BLOCKS) {
  itAgreesInRedis(`logs in blocks of ${block}`, () => ({
    client: client(block),
    workload: { families: ['sliding-log'], rates: RATES, debts: true },
    decisions: 1500,
  }))
}
