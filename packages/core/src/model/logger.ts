import { configError } from './errors.js'

/** Where the few lines go that an operator must see. `console` is one. */
export interface Logger {
  warn(message: string): void
  error(message: string): void
}

declare const console: Logger

/** The logger of an option; the console by default. @throws RateLimitError `RL_CONFIG` */
export function toLogger(logger: Logger | undefined): Logger {
  if (logger === undefined) return console
  if (typeof logger?.warn !== 'function' || typeof logger.error !== 'function') {
    throw configError('logger', logger, 'takes an object with warn(message) and error(message)')
  }
  return logger
}
