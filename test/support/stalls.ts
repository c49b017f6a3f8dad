/** How long the event loop of this process has stood still. */
export interface Stalls {
  /** Up to now, the present moment included, in ms: the difference of two tells of the time between. */
  total(): number
  /** At one stretch. */
  longest(): number
  stop(): void
}

const EVERY_MS = 1
/** What a timer is late by anyhow. */
const USUAL_MS = 2

/**
 * Watches the event loop with a timer. Where a bound has to hold also on a full machine, what happens is held to "the bound
 * and the time that the loop stood still meanwhile", which may be more than one stretch.
 */
export function watchStalls(): Stalls {
  let tickedAt = performance.now()
  let total = 0
  let longest = 0
  const sinceTick = (): number => {
    const late = performance.now() - tickedAt - EVERY_MS
    return late > USUAL_MS ? late : 0
  }
  const timer = setInterval(() => {
    const late = sinceTick()
    total += late
    longest = Math.max(longest, late)
    tickedAt = performance.now()
  }, EVERY_MS)
  timer.unref()
  return {
    total: () => total + sinceTick(),
    longest: () => longest,
    stop: () => clearInterval(timer),
  }
}
