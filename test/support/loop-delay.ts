import { monitorEventLoopDelay } from 'node:perf_hooks'
import { setTimeout as sleep } from 'node:timers/promises'

const resolutionMs = 1

/** What a measured span gave, and the longest time that the event loop stood still in it. */
export interface MeasuredSpan<Result> {
  readonly result: Result
  /** Milliseconds beyond the millisecond between two samples; never below 0. */
  readonly maxDelayMs: number
}

/**
 * Runs something and measures the largest event-loop delay meanwhile, in ms.
 *
 * Deadlines are asserted as "deadline + loop delay", so that a busy machine does not fail a right answer.
 */
export async function measureLoopDelay<Result>(
  run: () => Result | Promise<Result>,
): Promise<MeasuredSpan<Result>> {
  const histogram = monitorEventLoopDelay({ resolution: resolutionMs })
  histogram.enable()
  try {
    // A delay is the distance between two samples: one sample must lie before the span and one behind
    // it. A reset in between would forget the first.
    await sleep(3 * resolutionMs)
    const result = await run()
    await sleep(3 * resolutionMs)
    const maxMs = histogram.count === 0 ? 0 : histogram.max / 1e6
    return { result, maxDelayMs: Math.max(0, maxMs - resolutionMs) }
  } finally {
    histogram.disable()
  }
}
