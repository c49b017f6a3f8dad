import type { Policy } from '@rl/core'
import { ALGORITHMS, type Algorithm, type AlgorithmName } from './algorithms.js'
import { BadParameter, show } from './bad-parameter.js'
import { planOf } from './plans.js'
import { type Query, readQuery } from './query.js'

/** What a query asks, checked. */
export interface Check {
  readonly clientId: string
  readonly algorithm: AlgorithmName
  readonly policy: Policy
  readonly cost: number
  /** Whose counter it is: the client's, for this rate or window. */
  readonly key: string
}

/** In UTF-16 code units. With the window in front it stays below what core would hash. */
export const MAX_CLIENT_ID = 128

const DEFAULT_ALGORITHM = 'sliding_window_counter'
const DEFAULT_LIMIT = '100'

/** @throws BadParameter for the first parameter that is missing or wrong. */
export function toCheck(url: string): Check {
  const query = readQuery(url)
  const clientId = toClientId(query)
  const name = toAlgorithm(query)
  const algorithm: Algorithm = ALGORITHMS[name]
  const limit = toCount(query, 'limit', DEFAULT_LIMIT, algorithm.maxLimit)
  const { policy, span } = planOf(name, limit, query.get('rate_or_window') ?? algorithm.defaultSpan)
  const cost = toCount(query, 'cost', '1', algorithm.maxLimit)
  // A span has no colon, so no client id can reach another's counter.
  return { clientId, algorithm: name, policy, cost, key: `${span}:${clientId}` }
}

function toClientId(query: Query): string {
  const clientId = query.get('client_id')
  if (clientId === undefined) throw new BadParameter('client_id', 'is missing: /check?client_id=…')
  if (clientId !== '' && clientId.length <= MAX_CLIENT_ID) return clientId
  throw new BadParameter(
    'client_id',
    `must have 1 to ${MAX_CLIENT_ID} characters; got ${clientId.length}. Longer ids can be hashed by the caller`,
  )
}

function toAlgorithm(query: Query): AlgorithmName {
  const text = query.get('algorithm') ?? DEFAULT_ALGORITHM
  const names = Object.keys(ALGORITHMS) as AlgorithmName[]
  const name = names.find((each) => each === text)
  if (name !== undefined) return name
  throw new BadParameter('algorithm', `is one of ${names.join(', ')}; got ${show(text)}`)
}

function toCount(query: Query, field: 'limit' | 'cost', preset: string, max: number): number {
  const text = query.get(field) ?? preset
  const count = /^\d{1,7}$/.test(text) ? Number(text) : 0
  if (count >= 1 && count <= max) return count
  throw new BadParameter(field, `must be a whole number from 1 to ${max}; got ${show(text)}`)
}
