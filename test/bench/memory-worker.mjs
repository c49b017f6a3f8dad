// One contender with a million keys, in a process of its own: prints the bytes of a key, the key's text included.
import { contenders } from './contenders.mjs'

const [contenderName = ''] = process.argv.slice(2)
const contender = /** @type {import('./contenders.mjs').Contender} */ (contenders[contenderName])
const KEYS = 1_000_000

const POLICIES = [{ limit: 100, windowMs: 86_400_000 }]

// Once before, for the modules that it loads.
await contender.make(POLICIES, 1)
const before = used()
const decide = await contender.make(POLICIES, KEYS)
for (let i = 0; i < KEYS; i++) await decide(`client-${i}`)
const after = used()
// Asked once more, so that it was not collected before.
await decide('client-0')
console.log(JSON.stringify({ value: (after - before) / KEYS }))
process.exit()

/** Heap and what it holds outside: typed arrays. */
function used() {
  for (let i = 0; i < 3; i++) globalThis.gc?.()
  const { heapUsed, external } = process.memoryUsage()
  return heapUsed + external
}
