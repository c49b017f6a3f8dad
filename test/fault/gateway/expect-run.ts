import { expect } from 'vitest'
import type { Run } from './outages.js'

const DEADLINE_MS = 50
/** A probe interval and a second, a handshake, and the looking. */
const BACK_MS = 1700
const KINDS = [/the store fails/, /the store still fails/, /the store works again/]

/** What is promised of the gateway, whatever happens to Redis. */
export function expectRun({
  traffic,
  seconds,
  lines,
  backMs,
  stallMs,
  longestMs,
  longestAwakeMs,
}: Run): void {
  const { answers, sent } = traffic
  expect(answers, 'every request is answered, and with 200').toEqual({ 200: sent() })
  expect(sent() / seconds, 'there was traffic').toBeGreaterThan(150)
  // One stall is in the longest; where two fall into one answer, its own count.
  const isInTime = longestMs <= DEADLINE_MS + stallMs + 20 || longestAwakeMs <= DEADLINE_MS + 20
  expect(isInTime, JSON.stringify({ longestMs, longestAwakeMs, stallMs })).toBe(true)
  for (const back of backMs) expect(back).toBeLessThanOrEqual(BACK_MS + stallMs)
  for (const kind of KINDS) expectApart(lines.filter(({ line }) => kind.test(line)))
  expect(lines.at(-1)?.line).toMatch(/the store works again|still fails/)
}

/** Lines of a kind come five seconds apart, or more. */
function expectApart(lines: Run['lines']): void {
  for (const [i, { line, at }] of lines.entries()) {
    const next = lines[i + 1]
    if (next !== undefined) expect(next.at - at, line).toBeGreaterThan(4.5)
  }
}
