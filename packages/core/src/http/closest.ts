import type { PolicyResult } from '../model/decision.js'

/** Fields stay within what proxies take. */
const MAX_ITEMS = 16

/** Those that a client is told of: of too many, the tightest. */
export function closest(results: readonly PolicyResult[]): readonly PolicyResult[] {
  if (results.length <= MAX_ITEMS) return results
  const tightestFirst = [...results].sort(
    (a, b) => Number(a.allowed) - Number(b.allowed) || a.remaining - b.remaining,
  )
  const told = new Set(tightestFirst.slice(0, MAX_ITEMS))
  return results.filter((result) => told.has(result))
}
