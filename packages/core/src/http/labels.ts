import type { PolicyResult } from '../model/decision.js'
import { UNNAMED } from '../registry.js'

/**
 * What each policy is called towards clients: by its name, behind the limiter's where that has one (`login:1m`).
 * Two limiters without a name on one request may say the same; the later one gets a number, as the order is steady.
 */
export function labelsOf(results: readonly PolicyResult[]): readonly string[] {
  const labels: string[] = []
  for (const result of results) {
    const label = labelOf(result)
    let free = label
    for (let n = 2; labels.includes(free); n++) free = `${label}-${n}`
    labels.push(free)
  }
  return labels
}

/** What a policy is called where no other has that name. */
export function labelOf({ limiter, policy }: PolicyResult): string {
  return limiter === UNNAMED ? policy : `${limiter}:${policy}`
}
