import { itAgrees } from './memory-run.js'
import { RATES } from './sequence-policies.js'

itAgrees('token-bucket', { families: ['token-bucket'], rates: RATES, debts: true })
