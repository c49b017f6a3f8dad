import type { Redis } from 'ioredis'
import { within } from '../within.js'
import { BoundedMap } from './bounded-map.js'
import { recordKey } from './record-key.js'
import { toUser, type User } from './user.js'

/** Who is behind an API key; undefined: nobody. @throws UsersUnavailable when it can't be known */
export type FindUser = (apiKey: string) => Promise<User | undefined>

/** Records can't be read, and this one was not read before. */
export class UsersUnavailable extends Error {}

/** How long a record is believed. */
const FRESH_MS = 5000
/** How long one that can't be read again is believed before it is tried again. */
const STALE_MS = 1000
const LOOKUP_MS = 250
const MAX_USERS = 10_000

interface Known {
  readonly user: User | undefined
  readonly until: number
}

const ANYBODY = toUser({ id: 'anybody', rpm: '0', tpm: '0' })

/** Without Redis every key is a user, and nothing is counted. */
export const anybody: FindUser = () => Promise.resolve(ANYBODY)

/** Users by their records in Redis. While Redis is away, those that were seen before go on. */
export function usersIn(client: Pick<Redis, 'hgetall'>): FindUser {
  const users = new BoundedMap<Known>(MAX_USERS)
  // Apart: a flood of made-up keys must not push out the users.
  const strangers = new BoundedMap<Known>(MAX_USERS)
  const underWay = new Map<string, Promise<User | undefined>>()

  async function lookUp(key: string): Promise<User | undefined> {
    try {
      const user = await readUser(client, key)
      const [keep, drop] = user === undefined ? [strangers, users] : [users, strangers]
      keep.set(key, { user, until: performance.now() + FRESH_MS })
      drop.delete(key)
      return user
    } catch (cause) {
      const before = users.get(key)
      if (before === undefined) throw new UsersUnavailable('user records can not be read', { cause })
      users.set(key, { ...before, until: performance.now() + STALE_MS })
      return before.user
    }
  }

  return (apiKey) => {
    const key = recordKey(apiKey)
    const known = users.get(key) ?? strangers.get(key)
    if (known !== undefined && performance.now() < known.until) return Promise.resolve(known.user)
    const lookup = underWay.get(key) ?? lookUp(key).finally(() => underWay.delete(key))
    underWay.set(key, lookup)
    return lookup
  }
}

async function readUser(client: Pick<Redis, 'hgetall'>, key: string): Promise<User | undefined> {
  const record = await within(LOOKUP_MS, client.hgetall(key))
  if (Object.keys(record).length === 0) return undefined
  try {
    return toUser(record)
  } catch (error) {
    // Closed, for nobody knows how much this user may do; what is wrong is for the operator.
    console.error(`llm-gateway: the record ${key} is broken: ${(error as Error).message}`)
    return undefined
  }
}
