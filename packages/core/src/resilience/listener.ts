import type { OnEvent } from '../model/event.js'
import type { Logger } from '../model/logger.js'
import { isPromise } from '../model/maybe-promise.js'

/**
 * A listener that breaks nothing: what it throws, or rejects with, is no matter of a decision. It is logged once, as in an
 * outage there is an event a decision.
 */
export function listener(onEvent: OnEvent, logger: Logger): OnEvent {
  let isLogged = false
  const threw = (error: unknown): void => {
    if (isLogged) return
    isLogged = true
    log(logger, 'error', `[rl] onEvent threw, which is logged this once only: ${String(error).slice(0, 200)}`)
  }
  return (event) => {
    try {
      const result: unknown = onEvent(event)
      if (isPromise(result)) result.then(undefined, threw)
    } catch (error) {
      threw(error)
    }
  }
}

/** A line in the log. Of a logger that throws there is nobody left to tell. */
export function log(logger: Logger | undefined, level: keyof Logger, line: string): void {
  try {
    logger?.[level](line)
  } catch {}
}
