import { createHash } from 'node:crypto'

/** Where the record of an API key's user is in Redis: the key itself is never stored, and can't break out of the name. */
export function recordKey(apiKey: string): string {
  return `llm:key:${createHash('sha256').update(apiKey).digest('hex')}`
}
