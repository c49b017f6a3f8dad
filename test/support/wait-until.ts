import { setTimeout as sleep } from 'node:timers/promises'

/** How long {@link waitUntil} tries, how often, and what it says when time is up. */
export interface WaitOptions {
  /** Completes the sentence "Timed out waiting until …". */
  readonly what: string
  /** @default 5000 */
  readonly timeoutMs?: number
  /** Pause between two tries. @default 10 */
  readonly intervalMs?: number
}

/** What a condition of {@link waitUntil} may answer for "not yet". */
export type NotYet = false | null | undefined

/**
 * Calls a condition until it answers something other than `false`, `null` or `undefined`, and returns that.
 *
 * A condition that throws counts as "not yet": servers that start refuse connections. The last error becomes
 * the `cause` when time is up. A condition that never settles does not extend the bound.
 *
 * @throws Error after `timeoutMs`.
 */
export async function waitUntil<Answer>(
  condition: () => Answer | Promise<Answer>,
  { what, timeoutMs = 5000, intervalMs = 10 }: WaitOptions,
): Promise<Exclude<Answer, NotYet>> {
  const deadline = performance.now() + timeoutMs
  const abort = new AbortController()
  const timeUp = sleep(timeoutMs, undefined, { signal: abort.signal }).catch(() => undefined)
  let cause: unknown
  try {
    do {
      try {
        const answer = await Promise.race([condition(), timeUp])
        if (isAnswer(answer)) return answer
      } catch (error) {
        cause = error
      }
      await sleep(intervalMs)
    } while (performance.now() < deadline)
  } finally {
    abort.abort()
  }
  throw new Error(`Timed out waiting until ${what} (${timeoutMs} ms)`, cause === undefined ? {} : { cause })
}

function isAnswer<Answer>(answer: Answer): answer is Exclude<Answer, NotYet> {
  return answer !== false && answer !== null && answer !== undefined
}
