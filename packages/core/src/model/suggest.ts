import { configError, RateLimitError } from './errors.js'

/** Throws when `given` has a name that is not in `known`: a misspelt option would otherwise be no limit at all. */
export function checkOptions(where: string, given: unknown, known: readonly string[]): void {
  if (typeof given !== 'object' || given === null || Array.isArray(given)) {
    throw configError(where, given, 'takes an object of options')
  }
  for (const name of Object.keys(given)) {
    if (known.includes(name)) continue
    // A builder and a store have no limit with a window in it.
    const ours = known.includes('name') ? oursFor(name) : undefined
    const hint = ours ?? didYouMean(name, known) ?? ` It takes ${known.join(', ')}.`
    throw new RateLimitError(
      'RL_CONFIG',
      `${where}: there is no option ${JSON.stringify(name.slice(0, 40))}.${hint}`,
    )
  }
}

/** Whether an object has no names but those that are known: asked at every call, so nothing is made for it. */
export function hasOnly(given: object, known: readonly string[]): boolean {
  if (typeof given !== 'object' || given === null) return false
  for (const name in given) if (!known.includes(name)) return false
  return !Array.isArray(given)
}

/** ` Did you mean "…"?` for the nearest of `known`, or nothing when none is near. */
export function didYouMean(word: string, known: readonly string[]): string | undefined {
  const lower = word.toLowerCase().slice(0, 40)
  const near = known
    .map((name) => ({ name, distance: editDistance(lower, name.toLowerCase()) }))
    .sort((a, b) => a.distance - b.distance)[0]
  if (near === undefined || near.distance > Math.floor(near.name.length / 3)) return undefined
  return ` Did you mean "${near.name}"?`
}

/** What other limiters call their options, answered with ours. */
const PEERS: Readonly<Record<string, string>> = {
  windowMs: ' The window is part of the limit here: limit: "100/1m".',
  timeWindow: ' The window is part of the limit here: limit: "100/1m".',
  duration: ' The window is part of the limit here: limit: "100/1m".',
  max: ' Use limit: "100/1m".',
  points: ' Use limit: "100/1m".',
  keyGenerator: ' Use key.',
  keyPrefix: ' Use name, or prefix of the Redis store.',
  handler: ' Use onLimited.',
  standardHeaders: ' Use headers: "draft-8".',
  legacyHeaders: ' Use headers: ["draft-8", "legacy"].',
  skipOnError: ' Use onStoreFailure.',
  passOnStoreError: ' Use onStoreFailure.',
  allowList: ' Use allow.',
  whitelist: ' Use allow.',
  blockList: ' Use deny.',
  denyList: ' Use deny.',
}

function oursFor(name: string): string | undefined {
  const lower = name.toLowerCase()
  const peer = Object.keys(PEERS).find((option) => option.toLowerCase() === lower)
  return peer === undefined ? undefined : PEERS[peer]
}

/** Optimal string alignment: insert, delete, replace, or swap of neighbours. */
function editDistance(a: string, b: string): number {
  let before: number[] = []
  let last = Array.from({ length: b.length + 1 }, (_, j) => j)
  for (let i = 1; i <= a.length; i++) {
    const row = [i]
    for (let j = 1; j <= b.length; j++) {
      const replaced = at(last, j - 1) + (a[i - 1] === b[j - 1] ? 0 : 1)
      let best = Math.min(at(last, j) + 1, at(row, j - 1) + 1, replaced)
      if (a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) best = Math.min(best, at(before, j - 2) + 1)
      row.push(best)
    }
    before = last
    last = row
  }
  return at(last, b.length)
}

function at(row: readonly number[], index: number): number {
  return row[index] ?? Number.POSITIVE_INFINITY
}
