// pnpm bench: decisions in process, those while Redis is gone, with metrics or through Redis, bytes a key, tenants of a file,
// and servers of every framework, ours beside what else there is. Contenders take turns, each in processes of its own, so
// that a busy machine is busy for all of them.
//   --rounds 9        how often each has its turn
//   --only decisions  one part: decisions, fallback, metrics, memory, tenants, redis, http or http-koa … (may be given several times)
//   --json file       writes all that was measured
import { writeFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { decisions } from './decisions.mjs'
import { fallback } from './fallback.mjs'
import { frameworks } from './http/frameworks.mjs'
import { http } from './http/http.mjs'
import { memory } from './memory.mjs'
import { metrics } from './metrics.mjs'
import { redis } from './redis/redis.mjs'
import { barList, isMet } from './report.mjs'
import { tenants } from './tenants.mjs'

/** @typedef {{ tables: readonly string[], bars: readonly import('./report.mjs').Bar[], samples: unknown }} Result */

/** @type {Record<string, (rounds: number) => Promise<Result>>} */
const parts = { decisions, fallback, metrics, memory, tenants, redis }
for (const framework of Object.keys(frameworks))
  parts[`http-${framework}`] = (rounds) => http(framework, rounds)

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
  if (!options.only.some((asked) => name === asked || name.startsWith(`${asked}-`))) continue
  const result = await part(Number(options.rounds))
  console.log(`${result.tables.join('\n\n')}\n\n${barList(result.bars)}\n`)
  measured[name] = result.samples
  bars.push(...result.bars)
}
console.log(`${bars.filter(isMet).length} of ${bars.length} bars met`)
if (options.json !== undefined)
  writeFileSync(options.json, `${JSON.stringify({ measured, bars }, null, 2)}\n`)
