import type { PolicyResult } from '../model/decision.js'
import type { Field } from './field.js'
import { seconds } from './seconds.js'

/**
 * Writes how a policy stands, as RateLimit tells it since draft 8. The last field is remembered, as refused clients mostly
 * read the same, and so is what of it others have too.
 */
export function rememberedStanding(): (label: string, result: PolicyResult) => Field {
  let [lastLabel, lastTime]: [string, number | null] = ['', null]
  let [head, tail, lastRemaining] = ['', '', 0]
  let field: Field = ['RateLimit', '']
  return (label, result) => {
    const { remaining } = result
    const ms = availableMs(result)
    const time = ms === null ? null : seconds(ms)
    if (label === lastLabel && time === lastTime && remaining === lastRemaining) return field
    if (label !== lastLabel) head = `"${label}";r=`
    if (time !== lastTime) tail = time === null ? '' : `;t=${time}`
    lastLabel = label
    lastTime = time
    lastRemaining = remaining
    field = ['RateLimit', head + remaining + tail]
    return field
  }
}

/**
 * Milliseconds in which no more than `remaining` may be used: until another unit comes, and no less than what these
 * units take at the policy's average rate, so that no client reads an invitation to a burst. `null` for never.
 */
export function availableMs({
  kind,
  limit,
  remaining,
  nextAfterMs,
  retryAfterMs,
  windowMs,
}: PolicyResult): number | null {
  if (nextAfterMs === null) return null
  if (remaining === 0) return nextAfterMs
  if (remaining === limit) return windowMs
  const ms = kind === 'fixed-window' ? nextAfterMs : Math.max(nextAfterMs, (remaining * windowMs) / limit)
  // A client is never to be told by `t` to wait for longer than by Retry-After.
  return retryAfterMs ? Math.min(ms, retryAfterMs) : ms
}
