import { itAgrees } from './memory-run.js'
import { EDGE_RATES, FAMILIES, RATES } from './sequence-policies.js'

itAgrees('all kinds in one decision', { families: FAMILIES, rates: RATES, debts: true })
itAgrees('at the edge of what is exact', { families: FAMILIES, rates: EDGE_RATES, debts: false })
