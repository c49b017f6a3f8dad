// pnpm bench: decisions in process, those while Redis is gone, bytes a key, and Express servers, ours beside what else there
// is. Contenders take turns, each in processes of its own, so that a busy machine is busy for all of them.
//   --rounds 9        how often each has its turn
//   --only decisions  one part: decisions, fallback, memory, http or tenants (may be given several times)
//   --json file       writes all that was measured
import { writeFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { decisions } from './decisions.mjs'
import { fallback } from './fallback.mjs'
import { http } from './http.mjs'
import { memory } from './memory.mjs'
import { barList, isMet } from './report.mjs'
import { tenants } from './tenants.mjs'

const parts = { decisions, fallback, memory, http, tenants }
const { values: options } = parseArgs({
  options: {
    rounds: { type: 'string', default: '9' },
    only: { type: 'string', multiple: true, default: Object.keys(parts) },
    json: { type: 'string' },
  },
})

/** @type {import('./report.mjs').Bar[]} */
const bars = []
/** @type {Record<string, unknown>} */
const measured = {}
for (const [name, part] of Object.entries(parts)) {
  if (!options.only.includes(name)) continue
  const result = await part(Number(options.rounds))
  console.log(`${result.tables.join('\n\n')}\n\n${barList(result.bars)}\n`)
  measured[name] = result.samples
  bars.push(...result.bars)
}
console.log(`${bars.filter(isMet).length} of ${bars.length} bars met`)
if (options.json !== undefined)
  writeFileSync(options.json, `${JSON.stringify({ measured, bars }, null, 2)}\n`)
