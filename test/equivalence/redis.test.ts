import { useClient, useServer } from '../support/use-redis.js'
import { itAgreesInRedis } from './redis-run.js'
import { EDGE_RATES, FAMILIES, RATES } from './sequence-policies.js'

const redis = useClient(useServer())

itAgreesInRedis('all kinds in one decision', redis, {
  workload: { families: FAMILIES, rates: RATES, debts: true },
  decisions: 10_000,
})

itAgreesInRedis('at the edge of what is exact', redis, {
  workload: { families: FAMILIES, rates: EDGE_RATES, debts: false },
  decisions: 3000,
})

for (const block of [1, 2, 3, 5]) {
  itAgreesInRedis(`logs in blocks of ${block}`, redis, {
    workload: { families: ['sliding-log'], rates: RATES, debts: true },
    block,
    decisions: 1500,
  })
}

itAgreesInRedis('every third step a settlement', redis, {
  workload: { families: FAMILIES, rates: RATES, debts: true, settles: 33 },
  decisions: 3000,
})
