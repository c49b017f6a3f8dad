import type { Redis } from 'ioredis'
import { recordKey } from './record-key.js'
import { toUser, type UserRecord } from './user.js'

/** An API key with the record of its user. */
export interface Seed extends UserRecord {
  readonly apiKey: string
}

/** Users to try things with. */
export const EXAMPLES = ['ann,sk-ann,60,10000', 'bob,sk-bob,3,1000'].map(toSeed)

/** Reads `name,key,requests a minute,tokens a minute`. @throws Error that says so */
export function toSeed(text: string): Seed {
  const [id = '', apiKey = '', rpm = '', tpm = ''] = text.split(',')
  const seed = { id, apiKey, rpm, tpm }
  try {
    toUser(seed)
    if (apiKey !== '') return seed
  } catch {
    // Said below.
  }
  // Not the text: there is a key in it, or it is one.
  const whose = text.includes(',') ? ` for "${id}"` : ''
  throw new Error(`--user takes NAME,API-KEY,REQUESTS-A-MINUTE,TOKENS-A-MINUTE; got another text${whose}`)
}

/** Writes a user's record, over the one that was there. */
export async function seed(client: Pick<Redis, 'hset'>, { apiKey, ...record }: Seed): Promise<void> {
  await client.hset(recordKey(apiKey), record)
}
