import { itAgrees } from './memory-run.js'
import { RATES } from './sequence-policies.js'

for (const family of ['fixed-window epoch', 'fixed-window first-hit'] as const) {
  itAgrees(family, { families: [family], rates: RATES, debts: true })
}
