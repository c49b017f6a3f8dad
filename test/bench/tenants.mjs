import { hash } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { loadTenants } from '@rl/tenants'
import { table } from './report.mjs'
import { takeTurns } from './rounds.mjs'
import { pairwise } from './statistics.mjs'

const KEYS = 100_000
const MOST = 1.2

/** What a lookup of an API key costs beside a Map's get, with keys as they come from the wire: new texts. @param {number} rounds */
export async function tenants(rounds) {
  const folder = mkdtempSync(join(tmpdir(), 'rl-bench-'))
  try {
    const map = new Map(Array.from({ length: KEYS }, (_, i) => [keyOf(i), i]))
    const clear = await load(folder, keyOf)
    const hashed = await load(folder, (i) => `sha256:${hash('sha256', keyOf(i))}`)
    /** @type {Record<string, (key: string) => boolean>} */
    const contenders = {
      'a Map': (key) => map.get(key) !== undefined,
      '@rl/tenants': clear.known,
      '@rl/tenants, hashed': hashed.known,
    }
    const samples = await takeTurns(rounds, Object.keys(contenders), (name) =>
      nanoseconds(/** @type {(key: string) => boolean} */ (contenders[name])),
    )
    const value = pairwise(samples['@rl/tenants'] ?? [], samples['a Map'] ?? [])
    return {
      tables: [table(`${KEYS} API keys`, samples, { unit: 'ns a lookup', digits: 0, against: 'a Map' })],
      bars: [{ text: `API keys in clear: at most ${MOST} of a Map's get`, value, atMost: MOST }],
      samples,
    }
  } finally {
    rmSync(folder, { recursive: true })
  }
}

/** @param {string} folder @param {(i: number) => string} key */
function load(folder, key) {
  const file = join(folder, 'tenants.json')
  const ids = Array.from({ length: KEYS }, (_, i) => [`tenant-${i}`, { plan: 'free', keys: [key(i)] }])
  const content = { default: 'free', plans: { free: { limit: '5/1m' } }, tenants: Object.fromEntries(ids) }
  writeFileSync(file, JSON.stringify(content))
  return loadTenants(file, { watch: false, sighup: false })
}

/** @param {number} i */
function keyOf(i) {
  return `key-${hash('sha256', String(i)).slice(0, 32)}`
}

/** @param {(key: string) => boolean} known */
function nanoseconds(known) {
  // A text that V8 has not seen before has no hash yet, as in a request.
  const keys = Array.from({ length: KEYS }, (_, i) =>
    Buffer.from(keyOf((i * 7919) % KEYS)).toString('latin1'),
  )
  let found = 0
  const start = process.hrtime.bigint()
  for (const key of keys) if (known(key)) found++
  const ns = Number(process.hrtime.bigint() - start) / KEYS
  if (found !== KEYS) throw new Error(`${found} of ${KEYS} keys were found`)
  return ns
}
