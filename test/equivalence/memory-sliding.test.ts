import { itAgrees } from './memory-run.js'
import { RATES } from './sequence-policies.js'

for (const family of ['sliding-window', 'sliding-log'] as const) {
  itAgrees(family, { families: [family], rates: RATES, debts: true })
}
