import { useClient, useServer } from '../support/use-redis.js'
import { itAgreesInRedis } from './redis-run.js'
import { EDGE_RATES, FAMILIES, RATES } from './sequence-policies.js'

/** Other seeds than those of the normal tests. */
const firstSeed = 1_000_000
const redis = useClient(useServer())

itAgreesInRedis('all kinds in one decision, a million times', redis, {
  workload: { families: FAMILIES, rates: RATES, debts: true },
  decisions: 1_000_000,
  firstSeed,
})

itAgreesInRedis('at the edge of what is exact, a quarter of a million times', redis, {
  workload: { families: FAMILIES, rates: EDGE_RATES, debts: false },
  decisions: 250_000,
  firstSeed,
})

for (const block of [1, 2, 3, 5]) {
  itAgreesInRedis(`logs in blocks of ${block}, a quarter of a million times`, redis, {
    workload: { families: ['sliding-log'], rates: RATES, debts: true },
    block,
    decisions: 250_000,
    firstSeed,
  })
}

for (const family of FAMILIES) {
  itAgreesInRedis(`${family}, every third step a settlement, 150,000 times`, redis, {
    workload: { families: [family], rates: RATES, debts: true, settles: 33 },
    decisions: 150_000,
    firstSeed,
  })
}
