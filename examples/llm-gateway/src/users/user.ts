import { type Limit, tokenBucket } from '@rl/core'
import { z } from 'zod'

/** Whose requests are counted together. */
export interface User {
  readonly id: string
  readonly limit: Limit
}

/** The fields of a user's record in Redis, which keeps text. */
export interface UserRecord {
  readonly id: string
  /** Requests a minute. */
  readonly rpm: string
  /** Tokens a minute. */
  readonly tpm: string
}

const COUNT = z
  .string()
  .regex(/^\d{1,9}$/)
  .transform(Number)
const RECORD = z.object({ id: z.string().min(1).max(256), rpm: COUNT, tpm: COUNT })

/**
 * Reads a record.
 * Buckets, as OpenAI's limits behave: a minute's worth at once, then a steady refill, and debt is paid in full.
 * @throws ZodError that names the field
 */
export function toUser(record: unknown): User {
  const { id, rpm, tpm } = RECORD.parse(record)
  const limit = {
    requests: tokenBucket({ capacity: rpm, per: '1m' }),
    tokens: tokenBucket({ capacity: tpm, per: '1m' }),
  }
  return { id, limit }
}
