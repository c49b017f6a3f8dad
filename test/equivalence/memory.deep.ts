import { itAgrees } from './memory-run.js'
import { EDGE_RATES, FAMILIES, RATES } from './sequence-policies.js'

const DECISIONS = 1_000_000
/** Other seeds than those of the normal tests. */
const FIRST_SEED = 1_000_000

for (const family of FAMILIES) {
  const workload = { families: [family], rates: RATES, debts: true }
  itAgrees(`${family}, a million times`, workload, DECISIONS, FIRST_SEED)
}
for (const family of FAMILIES) {
  const workload = { families: [family], rates: RATES, debts: true, settles: 33 }
  itAgrees(`${family}, every third step a settlement`, workload, DECISIONS / 5, FIRST_SEED)
}
itAgrees(
  'all kinds in one decision, a million times',
  { families: FAMILIES, rates: RATES, debts: true },
  DECISIONS,
  FIRST_SEED,
)
itAgrees(
  'at the edge of what is exact, a million times',
  { families: FAMILIES, rates: EDGE_RATES, debts: false },
  DECISIONS,
  FIRST_SEED,
)
