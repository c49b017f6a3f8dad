import { randomUUID } from 'node:crypto'
import { runLoad } from './load.js'

export const AT_ONCE = 250
export const LIMIT = 100

export interface Accuracy {
  readonly allowed: number
  readonly refused: number
  /** Of these, how many a node decided alone, because Redis did not answer in time. */
  readonly local: number
}

/** Sends 250 requests of one new client at once on a limit of 100: exactly 100 must be allowed, 150 refused. */
export async function measureAccuracy(origin: string, algorithm: string): Promise<Accuracy> {
  const query = new URLSearchParams({
    client_id: `accuracy-${randomUUID()}`,
    algorithm,
    limit: String(LIMIT),
    rate_or_window: slowSpan(algorithm),
  })
  const path = `/check?${query}`
  const { answers } = await runLoad({ origin, requests: AT_ONCE, concurrency: AT_ONCE, pathFor: () => path })
  const count = (kind: string) => answers.get(kind) ?? 0
  return {
    allowed: count('200') + count('200 local'),
    refused: count('429') + count('429 local'),
    local: count('200 local') + count('429 local'),
  }
}

export function isExact({ allowed, refused }: Accuracy): boolean {
  return allowed === LIMIT && refused === AT_ONCE - LIMIT
}

/**
 * A rate or window in which nothing comes back while the requests run: a token in 1000 s, or a window of about an hour
 * that does not end within ten seconds (fixed windows end at multiples of their length; these two seldom end together).
 */
function slowSpan(algorithm: string): string {
  if (algorithm === 'token_bucket') return '0.001'
  const seconds = Date.now() / 1000
  return String([3600, 3607].find((window) => window - (seconds % window) > 10) ?? 3600)
}
