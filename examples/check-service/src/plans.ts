import { ALGORITHMS, type Algorithm, type AlgorithmName, type Plan } from './algorithms.js'

/** Callers ask for few limits, again and again; what one asks for beyond that is worked out anew. */
const MOST = 1000

const known = new Map<string, Plan>()

/** The plan for a limit and a `rate_or_window`. @throws BadParameter where there is none. */
export function planOf(name: AlgorithmName, limit: number, span: string): Plan {
  const asked = `${name} ${limit} ${span}`
  const ready = known.get(asked)
  if (ready !== undefined) return ready
  const algorithm: Algorithm = ALGORITHMS[name]
  const plan = algorithm.plan(limit, span)
  if (known.size === MOST) known.clear()
  known.set(asked, plan)
  return plan
}
