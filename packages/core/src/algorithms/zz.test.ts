import { describeLaws } from '../../../../test/laws/laws.js'
import { describeBound } from '../../../../test/laws/bounds.js'
import { BUILDERS, type Family } from '../../../../test/laws/policies.js'
for (const f of Object.keys(BUILDERS)) {describeLaws(f as Family); describeBound(f as Family)}
