import type { RateLimitError } from '../model/errors.js'
import type { StoreErrorKind } from '../model/event.js'
import { DOWN, NO_DECISION, NOT_ASKED } from './store-error.js'

/** One of a few words for what a store failed with: a message may hold anything, and is no label. */
export function kindOf(error: RateLimitError): StoreErrorKind {
  if (error === DOWN || error === NOT_ASKED) return 'down'
  if (error === NO_DECISION) return 'reply'
  if (error.code === 'RL_DEADLINE') return 'deadline'
  const { cause } = error
  if (!(cause instanceof Error)) return 'other'
  const { name, message, code } = cause as Error & { readonly code?: unknown }
  if (name === 'ReplyError' || REPLY.test(message)) return 'reply'
  if (typeof code === 'string' && SYSTEM.test(code)) return 'connection'
  return LOST.test(message) ? 'connection' : 'other'
}

/** Redis begins the text of an error with a word in capitals; the other is our own, of a reply that is none. */
const REPLY = /^([A-Z]{3,20}|the reply) /

/** Codes of the system's errors of sockets and names. */
const SYSTEM = /^E[A-Z_]{3,20}$/

/** How ioredis and node-redis say that there is no connection, or none any more. */
const LOST = /max retries|connection|connected|closed|offline|socket|isn't (writeable|ready)|startup nodes/i
